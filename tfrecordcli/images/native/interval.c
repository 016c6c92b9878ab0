#include "walker.h"

/* Copies the data that begin at `at`, up to the next marker, without the zeros after each 0xFF (B.1.1.5). */
bool load_interval(walker *w, size_t at)
{
    const uint8_t *from = w->data + at, *end = w->data + w->size;
    uint8_t *to = w->interval;
    for (;;) {
        const uint8_t *found = memchr(from, 0xFF, (size_t)(end - from));
        if (!found || found + 1 >= end) return truncated(w);
        size_t n = (size_t)(found - from);
        bool is_stuffed = found[1] == 0;
        memcpy(to, from, n + is_stuffed);
        to += n + is_stuffed;
        from = found + 2;
        if (is_stuffed) continue;
        const uint8_t *marker = found;
        while (marker + 1 < end && marker[1] == 0xFF) marker++; /* fill (B.1.1.2) */
        if (marker + 1 >= end) return truncated(w);
        if (marker[1] == 0) return corrupt(w, (size_t)(found - w->data), "fill bytes amid the picture data");
        w->interval_at = at;
        w->interval_end = (size_t)(marker - w->data);
        w->interval_size = (size_t)(to - w->interval);
        memset(to, 0, READER_PADDING);
        return true;
    }
}

/* What may be left over are the bits of a last byte, whatever they are; and at the end of a sequential scan a byte of
   ones, which JPGEncoder and its many ports write where they need not pad. */
bool end_interval(walker *w, uint64_t used, bool is_last)
{
    uint64_t bytes = (used + 7) / 8;
    if (bytes > w->interval_size) return ends_early(w);
    size_t left = w->interval_size - (size_t)bytes;
    bool is_padding = left == 1 && used % 8 == 0 && is_last && !w->is_progressive && w->interval[bytes] == 0xFF;
    return !left || is_padding || corrupt_at_bit(w, (size_t)used, "more data than its blocks take");
}

bool ends_early(walker *w)
{
    return corrupt(w, w->interval_end, "picture data that end before the last block");
}

/* The byte of the file that holds a bit of the interval. */
static size_t file_position(const walker *w, size_t position)
{
    size_t at = w->interval_at;
    for (size_t i = position / 8; i && at < w->interval_end; i--) at += w->data[at] == 0xFF ? 2 : 1;
    return at < w->interval_end ? at : w->interval_end;
}

NOINLINE bool corrupt_at_bit(walker *w, size_t position, const char *detail)
{
    return corrupt(w, file_position(w, position), detail);
}

NOINLINE void note_range(walker *w, size_t position)
{
    if (w->verdict.reason == JPEG_RIGHT)
        w->verdict = (jpeg_verdict){JPEG_DC_RANGE, "brightness beyond black or white", file_position(w, position)};
}

NOINLINE void note_dc_range(walker *w, member *m, size_t position)
{
    note_range(w, position);
    if (m->dc_before > 1 << 26 || m->dc_before < -(1 << 26)) m->dc_before = 0; /* it must not overflow */
}
