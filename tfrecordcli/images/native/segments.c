#include "walker.h"

#define MAX_SIDE 65500 /* libjpeg's JPEG_MAX_DIMENSION */

bool read_quantisation(walker *w, const uint8_t *body, size_t size)
{
    while (size) {
        unsigned precision = body[0] >> 4, number = body[0] & 15;
        size_t length = precision ? 129 : 65;
        if (precision > 1 || number > 3 || size < length) return corrupt(w, w->at, "a bad quantisation table");
        for (int k = 0; k < 64; k++) {
            unsigned step = precision ? body[1 + 2 * k] << 8 | body[2 + 2 * k] : body[1 + k];
            w->steps[number][k] = (uint16_t)(step ? step : 1);
        }
        body += length;
        size -= length;
    }
    return true;
}

bool read_huffman(walker *w, const uint8_t *body, size_t size)
{
    static const char bad[] = "a bad Huffman table";
    while (size) {
        if (size < 17 || body[0] & 0xEC) return corrupt(w, w->at, bad);
        size_t total = 0;
        for (int i = 1; i <= 16; i++) total += body[i];
        if (total > 256 || total > size - 17) return corrupt(w, w->at, bad);
        table_slot *slot = (body[0] >> 4 ? w->ac_tables : w->dc_tables) + (body[0] & 3);
        memset(&slot->spec, 0, sizeof slot->spec);
        memcpy(slot->spec.counts + 1, body + 1, 16);
        memcpy(slot->spec.symbols, body + 17, total);
        slot->is_defined = true;
        slot->is_built = false;
        body += 17 + total;
        size -= 17 + total;
    }
    w->has_tables = true;
    return true;
}

static uint32_t divided_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

static bool read_component(walker *w, component *c, const uint8_t *body)
{
    c->id = body[0];
    c->horizontal = body[1] >> 4;
    c->vertical = body[1] & 15;
    c->quantisation = body[2];
    memset(c->missing, -1, sizeof c->missing);
    for (component *other = w->components; other < c; other++)
        if (other->id == c->id) return false;
    if (c->horizontal > w->widest) w->widest = c->horizontal;
    if (c->vertical > w->highest) w->highest = c->vertical;
    return c->horizontal >= 1 && c->horizontal <= 4 && c->vertical >= 1 && c->vertical <= 4 && c->quantisation <= 3;
}

bool read_frame(walker *w, int marker, const uint8_t *body, size_t size)
{
    static const char bad[] = "a bad frame header";
    if (w->component_count) return corrupt(w, w->at, "two frame headers");
    if (marker > 0xC2) return unsupported(w, marker < 0xC8 ? "lossless or hierarchical" : "arithmetic coding");
    if (size < 6 || size != 6 + 3u * body[5]) return corrupt(w, w->at, bad);
    if (body[0] != 8) return unsupported(w, "not 8 bits a channel");
    if (body[5] < 1 || body[5] > 4) return unsupported(w, "not 1 to 4 colour components");
    w->is_progressive = marker == 0xC2;
    w->height = (unsigned)body[1] << 8 | body[2];
    w->width = (unsigned)body[3] << 8 | body[4];
    if (!w->height || !w->width) return corrupt(w, w->at, "a size that is missing");
    if (w->height > MAX_SIDE || w->width > MAX_SIDE) return unsupported(w, "more than 65500 pixels wide or high");
    w->component_count = body[5];
    for (int i = 0; i < w->component_count; i++)
        if (!read_component(w, &w->components[i], body + 6 + 3 * i)) return corrupt(w, w->at, bad);
    for (component *c = w->components; c < w->components + w->component_count; c++)
        c->blocks = (uint64_t)divided_up(w->width * c->horizontal, 8 * w->widest) *
                    divided_up(w->height * c->vertical, 8 * w->highest);
    return true;
}
