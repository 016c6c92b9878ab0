#include "dc.h"

/* The AC of a block (F.2.2.2); false with a verdict. `window` bits are looked up at a time. Unless `weights` are NULL,
   `sum` grows by an estimate of what its coefficients add to a sample: by the largest numbers of their sizes, in fours, and for
   those of one window by the weight of the last. */
INLINE bool pass_block(walker *w, const member *m, bit_reader *bits, const unsigned window, const uint32_t *weights,
                       uint32_t *sum)
{
    const uint16_t *runs = m->runs->windows + (1u << window);
    const uint8_t *numbers = m->runs->numbers + (1u << window);
    unsigned k = 1; /* the coefficient that comes */
    for (;;) {
        refill(bits);
        unsigned at = peek(bits, window), entry = runs[at], next = k + (entry >> 8);
        if (LIKELY(next <= 63)) { /* two windows, of at most 12 + 10 bits each, a refill */
            skip(bits, entry & 255);
            k = next;
            if (weights) *sum += numbers[at] * weights[k];
            at = peek(bits, window);
            entry = runs[at];
            next = k + (entry >> 8);
            if (LIKELY(next <= 63)) {
                skip(bits, entry & 255);
                k = next;
                if (weights) *sum += numbers[at] * weights[k];
                continue;
            }
        }
        const unsigned ended = RUN_END_OF_BLOCK >> 8;
        if (LIKELY(next == 64 || (next >= ended && next <= ended + 63))) {
            skip(bits, entry & 255);
            if (weights) *sum += numbers[at] * weights[next & (ended - 1)];
            return true;
        }
        /* Long and bad codes, and windows that reach into the next block: one symbol. */
        refill(bits);
        unsigned found = next_symbol(m->ac, bits), run = found >> 4 & 15, size = found & 15;
        if (UNLIKELY(!found)) return corrupt_at_bit(w, position(bits), INVALID_CODE);
        if (UNLIKELY(size > LARGEST_AC_SIZE || (!size && run && run < 15)))
            return corrupt_at_bit(w, position(bits), BAD_SYMBOL);
        skip(bits, (found >> 8) + size);
        if (!size && !run) return true;
        k += run + 1;
        if (UNLIKELY(k > 64)) return corrupt_at_bit(w, position(bits), TOO_MANY_COEFFICIENTS);
        if (weights) *sum += quarter_of_largest(size) * weights[k];
        if (k == 64) return true;
    }
}

/* The same, and a look at its samples where they may be beyond black or white. */
INLINE bool pass_bounded_block(walker *w, const member *m, bit_reader *bits, const unsigned window)
{
    uint32_t sum = 0;
    size_t start = position(bits);
    if (UNLIKELY(!pass_block(w, m, bits, window, m->bound->weights, &sum))) return false;
    uint64_t dc = (uint64_t)(m->dc_before < 0 ? -m->dc_before : m->dc_before) * m->bound->weights[1] / 4;
    if (UNLIKELY(sum + dc > m->bound->doubtful) && position(bits) <= w->interval_size * 8)
        look_at_samples(w, m, start, position(bits));
    return true;
}

INLINE bool pass_groups(walker *w, uint64_t count, bool is_last, const unsigned window)
{
    const size_t end = w->interval_size * 8;
    bit_reader bits = reader_at(w->interval, 0);
    while (count--) {
        for (int b = 0; b < w->mcu_blocks; b++) {
            member *m = w->mcu[b];
            refill(&bits);
            if (UNLIKELY(!read_dc(w, m, &bits))) return false;
            bool is_right = m->bound ? pass_bounded_block(w, m, &bits, window)
                                     : pass_block(w, m, &bits, window, NULL, NULL);
            if (UNLIKELY(!is_right)) return false;
            if (UNLIKELY(position(&bits) > end)) return ends_early(w);
        }
    }
    return end_interval(w, position(&bits), is_last);
}

static NOINLINE bool pass_short(walker *w, uint64_t count, bool is_last)
{
    return pass_groups(w, count, is_last, SHORT_RUN_BITS);
}

static bool pass_long(walker *w, uint64_t count, bool is_last)
{
    return pass_groups(w, count, is_last, RUN_BITS);
}

bool pass_sequential(walker *w, uint64_t count, bool is_last)
{
    return (w->is_short ? pass_short : pass_long)(w, count, is_last);
}
