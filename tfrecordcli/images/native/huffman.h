/* Huffman tables, as a file has them and as they are looked up. */
#ifndef HUFFMAN_H
#define HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>

#include "bit_reader.h"

#define LARGEST_DC_SIZE 11 /* bits of a difference of DC, of samples of 8 bits (table F.1) */
#define LARGEST_AC_SIZE 10 /* bits of an AC coefficient (table F.2) */
#define SYMBOL_BITS 9

typedef struct {
    uint8_t counts[17];   /* of codes of each length, 1 to 16 */
    uint8_t symbols[256]; /* in order of their codes; zeros follow */
} huffman_spec;

typedef struct {
    int codes;
    uint8_t symbols[256];
    uint8_t lengths[256];
    uint16_t code[256];
    uint32_t limits[17]; /* of 16 bits: the first that begin with no code of this length or shorter */
    int32_t offsets[17]; /* added to a code of this length: the place of its symbol */
    /* By the next SYMBOL_BITS bits; 0 for longer codes, and where there is none: */
    uint16_t look[1 << SYMBOL_BITS]; /* length << 8 | symbol */
    uint16_t dc[1 << SYMBOL_BITS];   /* size << 8 | length + size; of DC tables only */
} huffman_table;

/* What a window of the next bits holds: all codes of AC that lie whole in it. The bits of the last one's value may
   lie beyond. */
#define RUN_BITS 12
#define SHORT_RUN_BITS 8
typedef struct {
    /* Windows of n bits are at 1 << n. An entry is, from bit 0: 8 bits: how many bits its codes and values take;
       7 bits: by how many coefficients they go on; 1 bit: whether they end the block. */
    uint16_t windows[2 << RUN_BITS];
    uint8_t numbers[2 << RUN_BITS]; /* of the same codes: what quarter_of_largest() adds up to, 255 at most */
} run_table;
#define RUN_END_OF_BLOCK (128u << 8)
#define RUN_UNKNOWN (64u << 8) /* goes on further than any block: one symbol at a time */

/* The same for first passes over AC of progressive files, which need to know where coefficients are. */
#define BAND_BITS 10
#define SHORT_BAND_BITS 7
typedef struct {
    /* As above; the upper 48 bits: which of the coefficients gone over are not zero. */
    uint64_t windows[2 << BAND_BITS];
} band_table;

/* Table K.3 to K.6: DC of luminance and chrominance, and AC of both. */
extern const huffman_spec STANDARD_DC[2], STANDARD_AC[2];

/* False where libjpeg refuses the table, too: more codes than bits allow, or one of all ones (C.2). */
bool build_huffman(huffman_table *table, const huffman_spec *spec, bool is_dc);

/* `bits`: up to RUN_BITS or BAND_BITS. */
void build_runs(run_table *runs, const huffman_table *table, unsigned bits);
void build_band(band_table *band, const huffman_table *table, unsigned bits);

/* A quarter of the largest number of so many bits, up to LARGEST_AC_SIZE: a byte holds it. */
INLINE unsigned quarter_of_largest(unsigned size)
{
    return ((1u << size) - 1) >> 2;
}

/* Symbols of codes longer than SYMBOL_BITS; 0 if there is none. */
INLINE unsigned long_symbol(const huffman_table *table, unsigned next_16)
{
    for (unsigned length = SYMBOL_BITS + 1; length <= 16; length++)
        if (next_16 < table->limits[length])
            return length << 8 | table->symbols[(int32_t)(next_16 >> (16 - length)) + table->offsets[length]];
    return 0;
}

/* length << 8 | symbol of the next code; 0: the bits begin with none. */
INLINE unsigned next_symbol(const huffman_table *table, const bit_reader *bits)
{
    unsigned entry = table->look[peek(bits, SYMBOL_BITS)];
    return LIKELY(entry) ? entry : long_symbol(table, peek(bits, 16));
}

#endif
