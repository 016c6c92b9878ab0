#include "dc.h"

bool pass_dc(walker *w, uint64_t count, bool is_last)
{
    const size_t end = w->interval_size * 8;
    bit_reader bits = reader_at(w->interval, 0);
    while (count--) {
        for (int b = 0; b < w->mcu_blocks; b++) {
            refill(&bits);
            if (UNLIKELY(!read_dc(w, w->mcu[b], &bits))) return false;
        }
        if (UNLIKELY(position(&bits) > end)) return ends_early(w);
    }
    return end_interval(w, position(&bits), is_last);
}

/* How many blocks an end-of-band ends, of which this one is the first (G.1.2.2); after its code. */
INLINE uint64_t read_end_run(bit_reader *bits, unsigned size)
{
    if (!size) return 1;
    uint64_t run = ((uint64_t)1 << size) + peek(bits, size);
    skip(bits, size);
    return run;
}

/* The coefficients of one block that are not zero go into `*found`; how many blocks were gone over, 0 with a verdict. */
INLINE uint64_t pass_band(walker *w, bit_reader *bits, uint64_t *found, const unsigned window)
{
    const uint64_t *band = w->band.windows + (1u << window);
    const unsigned last = w->last, ended = RUN_END_OF_BLOCK >> 8;
    unsigned k = w->first;
    for (;;) {
        refill(bits);
        uint64_t entry = band[peek(bits, window)];
        unsigned next = k + (unsigned)(entry >> 8 & 255);
        if (LIKELY(next <= last)) { /* two windows, of at most 10 + 10 bits each, a refill */
            skip(bits, (unsigned)(entry & 255));
            *found |= entry >> 16 << k;
            k = next;
            entry = band[peek(bits, window)];
            next = k + (unsigned)(entry >> 8 & 255);
            if (LIKELY(next <= last)) {
                skip(bits, (unsigned)(entry & 255));
                *found |= entry >> 16 << k;
                k = next;
                continue;
            }
        }
        if (LIKELY(next == last + 1 || (next >= ended && next <= ended + last))) {
            skip(bits, (unsigned)(entry & 255));
            *found |= entry >> 16 << k;
            return 1;
        }
        refill(bits);
        unsigned symbol = next_symbol(w->members[0].ac, bits), run = symbol >> 4 & 15, size = symbol & 15;
        if (UNLIKELY(!symbol)) return corrupt_at_bit(w, position(bits), INVALID_CODE);
        if (UNLIKELY(size > LARGEST_AC_SIZE)) return corrupt_at_bit(w, position(bits), BAD_SYMBOL);
        skip(bits, (symbol >> 8) + size);
        if (!size && run < 15) return read_end_run(bits, run);
        k += run + 1;
        if (UNLIKELY(k > last + 1)) return corrupt_at_bit(w, position(bits), TOO_MANY_COEFFICIENTS);
        if (size) *found |= (uint64_t)1 << (k - 1);
        if (k > last) return 1;
    }
}

INLINE bool pass_bands(walker *w, uint64_t count, uint64_t *nonzero, bool is_last, const unsigned window)
{
    const size_t end = w->interval_size * 8;
    bit_reader bits = reader_at(w->interval, 0);
    for (uint64_t block = 0; block < count;) {
        uint64_t found = 0, run = pass_band(w, &bits, &found, window);
        if (UNLIKELY(!run)) return false;
        if (UNLIKELY(position(&bits) > end)) return ends_early(w);
        if (UNLIKELY(run > count - block)) return corrupt_at_bit(w, position(&bits), LONG_END_RUN);
        if (nonzero) nonzero[block] |= found;
        block += run;
    }
    return end_interval(w, position(&bits), is_last);
}

static NOINLINE bool pass_short(walker *w, uint64_t count, uint64_t *nonzero, bool is_last)
{
    return pass_bands(w, count, nonzero, is_last, SHORT_BAND_BITS);
}

static bool pass_long(walker *w, uint64_t count, uint64_t *nonzero, bool is_last)
{
    return pass_bands(w, count, nonzero, is_last, BAND_BITS);
}

bool pass_ac(walker *w, uint64_t count, uint64_t *nonzero, bool is_last)
{
    return (w->is_short ? pass_short : pass_long)(w, count, nonzero, is_last);
}

/* Without an instruction that every x86-64 would have, or a call for it. */
INLINE unsigned count_ones(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (unsigned)(x * 0x0101010101010101u >> 56);
}

/* A block's refinement (G.1.2.3). Coefficients that were not zero before have a bit each, which follow the codes
   that pass over them: they are skipped. Returns the blocks that its end-of-band ends, 0 with a verdict, or 1 when
   there is none; `*k`: up to where its bits were read. */
INLINE uint64_t refine_block(walker *w, bit_reader *bits, uint64_t *nonzero, uint64_t band, unsigned *k)
{
    uint64_t zeros = band & ~*nonzero;
    while (*k <= w->last) {
        refill(bits);
        unsigned symbol = next_symbol(w->members[0].ac, bits), run = symbol >> 4 & 15, size = symbol & 15;
        if (UNLIKELY(!symbol)) return corrupt_at_bit(w, position(bits), INVALID_CODE);
        if (UNLIKELY(size > 1)) return corrupt_at_bit(w, position(bits), BAD_SYMBOL);
        unsigned length = symbol >> 8;
        if (!size && run < 15) {
            skip(bits, length);
            return read_end_run(bits, run);
        }
        for (unsigned i = 0; i < run; i++) zeros &= zeros - 1;
        if (UNLIKELY(!zeros)) return corrupt_at_bit(w, position(bits), TOO_MANY_COEFFICIENTS);
        unsigned place = (unsigned)__builtin_ctzll(zeros);
        zeros &= zeros - 1;
        *nonzero |= (uint64_t)size << place;
        length += size + (place - *k - run); /* up to 16 + 1 + 63 bits: the sign, and those passed over */
        *k = place + 1;
        if (UNLIKELY(length > 56)) {
            skip(bits, 40);
            refill(bits);
            length -= 40;
        }
        skip(bits, length);
    }
    return 1;
}

/* Bits of the bands from coefficient `k` of the first block on, of `run` blocks. */
static uint64_t count_refined(const uint64_t *nonzero, uint64_t run, uint64_t band, unsigned k)
{
    uint64_t sum = k > 63 ? 0 : count_ones((nonzero[0] & band) >> k);
    for (uint64_t i = 1; i < run; i++) sum += count_ones(nonzero[i] & band);
    return sum;
}

bool refine_ac(walker *w, uint64_t count, uint64_t *nonzero, bool is_last)
{
    const uint64_t band = (~(uint64_t)0 >> (63 - w->last)) & (~(uint64_t)0 << w->first);
    const size_t end = w->interval_size * 8;
    bit_reader bits = reader_at(w->interval, 0);
    for (uint64_t block = 0; block < count;) {
        unsigned k = w->first;
        uint64_t run = refine_block(w, &bits, &nonzero[block], band, &k);
        if (UNLIKELY(!run)) return false;
        if (UNLIKELY(run > count - block)) return corrupt_at_bit(w, position(&bits), LONG_END_RUN);
        uint64_t refined = count_refined(&nonzero[block], run, band, k), to = position(&bits) + refined;
        if (UNLIKELY(to > end)) return ends_early(w);
        if (refined <= bits.count) skip(&bits, (unsigned)refined);
        else bits = reader_at(w->interval, (size_t)to);
        block += run;
    }
    return end_interval(w, position(&bits), is_last);
}
