#include <stdlib.h>

#include "walker.h"

enum { SOI = 0xD8, EOI = 0xD9, SOS = 0xDA, DQT = 0xDB, DNL = 0xDC, DRI = 0xDD, DHP = 0xDE, EXP = 0xDF };
enum { DHT = 0xC4, JPG = 0xC8, DAC = 0xCC, TEM = 0x01 };

/* A verdict replaces what was noted before it: JPEG_DC_RANGE at most. */
static bool end(walker *w, jpeg_reason reason, size_t at, const char *detail)
{
    w->verdict = (jpeg_verdict){reason, detail, at};
    return false;
}

NOINLINE bool corrupt(walker *w, size_t at, const char *detail)
{
    return end(w, JPEG_CORRUPT, at, detail);
}

bool truncated(walker *w)
{
    return end(w, JPEG_TRUNCATED, w->size, "it ends before its picture does");
}

bool unsupported(walker *w, const char *detail)
{
    return end(w, JPEG_UNSUPPORTED, w->at, detail);
}

bool out_of_memory(walker *w)
{
    return end(w, JPEG_NO_MEMORY, w->at, "no memory");
}

/* After EOI: has everything come? */
static bool finish(walker *w)
{
    if (!w->scans) return corrupt(w, w->at, "no picture data");
    for (component *c = w->components; c < w->components + w->component_count; c++) {
        bool is_missing = !c->is_scanned;
        for (int k = 0; k < 64 && w->is_progressive; k++) is_missing |= c->missing[k] != 0;
        if (is_missing) return end(w, JPEG_INCOMPLETE, w->at, "scans that never came");
    }
    return true;
}

/* TEM and restart markers have no length, and mean nothing outside scans. */
static bool stands_alone(int marker)
{
    return marker == TEM || (marker >= 0xD0 && marker <= 0xD7);
}

/* Where libjpeg gives up, too: what is of other processes, reserved, or no marker. */
static bool is_misplaced(int marker)
{
    return marker < 0xC0 || marker == SOI || marker == DNL || marker == DHP || marker == EXP || marker == JPG ||
           (marker >= 0xF0 && marker <= 0xFD);
}

static bool read_segment(walker *w, int marker, const uint8_t *body, size_t size)
{
    switch (marker) {
    case SOS: return read_scan(w, body, size);
    case DHT: return read_huffman(w, body, size);
    case DQT: return read_quantisation(w, body, size);
    case DRI:
        if (size != 2) return corrupt(w, w->at, "a bad restart interval");
        w->restart_interval = (unsigned)body[0] << 8 | body[1];
        return true;
    case DAC: return true; /* of arithmetic coding */
    default: return marker > 0xCF || read_frame(w, marker, body, size);
    }
}

static bool walk(walker *w)
{
    const uint8_t *data = w->data;
    if (w->size < 2) return truncated(w);
    if (data[0] != 0xFF || data[1] != SOI) return corrupt(w, 0, "no JPEG signature");
    w->at = 2;
    for (;;) {
        while (w->at + 1 < w->size && data[w->at] == 0xFF && data[w->at + 1] == 0xFF) w->at++; /* fill (B.1.1.2) */
        if (w->size - w->at < 2) return truncated(w);
        if (data[w->at] != 0xFF) return corrupt(w, w->at, "stray bytes between its segments");
        int marker = data[w->at + 1];
        if (marker == EOI) return finish(w);
        if (stands_alone(marker)) {
            w->at += 2;
            continue;
        }
        if (is_misplaced(marker)) return corrupt(w, w->at, "a marker that does not belong there");
        if (w->size - w->at < 4) return truncated(w);
        size_t length = (size_t)data[w->at + 2] << 8 | data[w->at + 3];
        if (length < 2) return corrupt(w, w->at, "a segment of impossible length");
        if (length > w->size - w->at - 2) return truncated(w);
        size_t next = w->at + 2 + length;
        if (!read_segment(w, marker, data + w->at + 4, length - 2)) return false;
        if (marker != SOS) w->at = next; /* a scan's data have no length: reading them has moved on */
    }
}

size_t jpeg_next_marker(const uint8_t *data, size_t size, size_t at)
{
    while (at + 1 < size) {
        const uint8_t *found = memchr(data + at, 0xFF, size - 1 - at);
        if (!found) break;
        at = (size_t)(found - data);
        int next = found[1];
        bool is_restart = next >= 0xD0 && next <= 0xD7;
        if (next && next != 0xFF && !is_restart) return at;
        at += next == 0xFF ? 1 : 2;
    }
    return size;
}

jpeg_verdict jpeg_walk(const uint8_t *data, size_t size)
{
    walker *w = malloc(sizeof *w);
    if (!w) return (jpeg_verdict){JPEG_NO_MEMORY, "no memory", 0};
    memset(w, 0, offsetof(walker, dc_built));
    w->data = data;
    w->size = size;
    walk(w);
    jpeg_verdict verdict = w->verdict;
    for (int i = 0; i < 4; i++) free(w->components[i].nonzero);
    free(w->interval);
    free(w);
    return verdict;
}
