/* Differences of DC (F.2.2.1). */
#ifndef DC_H
#define DC_H

#include "walker.h"

/* Reads one, of at most 27 bits, and follows the value; false, with a verdict, where there is none. Inlined, for the
   loops that call it keep the reader in registers. */
INLINE bool read_dc(walker *w, member *m, bit_reader *bits)
{
    unsigned entry = m->dc->dc[peek(bits, SYMBOL_BITS)];
    if (UNLIKELY(!entry)) {
        unsigned found = next_symbol(m->dc, bits), size = found & 255;
        if (!found) return corrupt_at_bit(w, position(bits), INVALID_CODE);
        if (size > LARGEST_DC_SIZE) return corrupt_at_bit(w, position(bits), BAD_SYMBOL);
        entry = size << 8 | (size + (found >> 8));
    }
    /* Without a branch on its size or sign, which nobody could predict: numbers that begin with 0 are negative. */
    unsigned size = entry >> 8;
    uint64_t number = bits->window << ((entry - size) & 63);
    int32_t is_positive = (int32_t)(number >> 63);
    m->dc_before += (int32_t)(number >> 1 >> (63 - size)) - (int32_t)(((1u << size) - 1) & (uint32_t)(is_positive - 1));
    skip(bits, entry & 255);
    if (UNLIKELY((uint32_t)(m->dc_before - m->dc_lowest) > m->dc_span))
        note_dc_range(w, m, position(bits));
    return true;
}

#endif
