#include "huffman.h"

const huffman_spec STANDARD_DC[2] = {
    {{0, 0, 1, 5, 1, 1, 1, 1, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
    {{0, 0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
};

const huffman_spec STANDARD_AC[2] = {
    {{0, 0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125},
     {0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
      0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72,
      0x82, 0x09, 0x0A, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x34, 0x35, 0x36, 0x37,
      0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
      0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x83,
      0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2, 0xA3,
      0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC2, 0xC3,
      0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA, 0xE1, 0xE2,
      0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA}},
    {{0, 0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119},
     {0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
      0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33, 0x52, 0xF0, 0x15, 0x62, 0x72, 0xD1,
      0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1, 0x17, 0x18, 0x19, 0x1A, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x35, 0x36,
      0x37, 0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
      0x59, 0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A,
      0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A,
      0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA,
      0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA,
      0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA}},
};

/* Enters a code in all windows that begin with it. */
static void enter(uint16_t *look, unsigned code, unsigned length, unsigned entry)
{
    unsigned span = 1u << (SYMBOL_BITS - length);
    for (unsigned i = 0; i < span; i++) look[code * span + i] = (uint16_t)entry;
}

bool build_huffman(huffman_table *table, const huffman_spec *spec, bool is_dc)
{
    memset(table->look, 0, sizeof table->look);
    memset(table->dc, 0, sizeof table->dc);
    memcpy(table->symbols, spec->symbols, sizeof table->symbols);
    unsigned code = 0;
    int number = 0;
    for (unsigned length = 1; length <= 16; length++, code <<= 1) {
        table->offsets[length] = number - (int32_t)code;
        for (int i = 0; i < spec->counts[length]; i++, number++, code++) {
            unsigned symbol = spec->symbols[number];
            if (code + 1 >= 1u << length || (is_dc && symbol > 15)) return false;
            table->lengths[number] = (uint8_t)length;
            table->code[number] = (uint16_t)code;
            if (length > SYMBOL_BITS) continue;
            enter(table->look, code, length, length << 8 | symbol);
            if (is_dc && symbol <= LARGEST_DC_SIZE) enter(table->dc, code, length, symbol << 8 | (symbol + length));
        }
        table->limits[length] = code << (16 - length);
    }
    table->codes = number;
    return true;
}

/* What build_runs() and build_band() leave to the slow way: 0 if so, else the entry of the code alone. */
static unsigned lone_entry(unsigned symbol, unsigned length)
{
    unsigned run = symbol >> 4, size = symbol & 15;
    if (symbol == 0) return length | RUN_END_OF_BLOCK;
    if (size > LARGEST_AC_SIZE || (size == 0 && run < 15)) return 0;
    return (length + size) | (run + 1) << 8;
}

/* An entry for n bits is the code that they begin with, and the entry for the bits after it and its value: so the
   tables of few bits are built first, those of more from them. */
void build_runs(run_table *runs, const huffman_table *table, unsigned bits)
{
    uint16_t *all = runs->windows;
    uint8_t *numbers = runs->numbers;
    memset(all, 0, (2u << bits) * sizeof *all);
    memset(numbers, 0, 2u << bits);
    for (unsigned n = 1; n <= bits; n++) {
        for (int i = 0; i < table->codes && table->lengths[i] <= n; i++) {
            unsigned entry = lone_entry(table->symbols[i], table->lengths[i]);
            unsigned span = 1u << (n - table->lengths[i]), used = entry & 255, at = (1u << n) + table->code[i] * span;
            unsigned number = quarter_of_largest(table->symbols[i] & 15);
            uint16_t *out = all + at;
            uint8_t *added = numbers + at;
            if (entry & RUN_END_OF_BLOCK || used >= n) {
                for (unsigned j = 0; j < span; j++) out[j] = (uint16_t)entry;
                memset(added, (int)number, span);
            } else if (entry) {
                unsigned part = 1u << (n - used);
                for (unsigned j = 0; j < part; j++) {
                    unsigned sum = entry + all[part + j];
                    bool is_alone = sum & RUN_UNKNOWN; /* the sum goes on by more than 63 coefficients */
                    unsigned both = number + (is_alone ? 0 : numbers[part + j]);
                    out[j] = (uint16_t)(is_alone ? entry : sum);
                    added[j] = (uint8_t)(both < 255 ? both : 255);
                }
                for (unsigned j = part; j < span; j += part) {
                    memcpy(out + j, out, part * sizeof *out);
                    memcpy(added + j, added, part);
                }
            }
        }
    }
    for (unsigned j = 0; j < 2u << bits; j++)
        if (!all[j]) all[j] = RUN_UNKNOWN;
}

void build_band(band_table *band, const huffman_table *table, unsigned bits)
{
    uint64_t *all = band->windows;
    memset(all, 0, (2u << bits) * sizeof *all);
    for (unsigned n = 1; n <= bits; n++) {
        for (int i = 0; i < table->codes && table->lengths[i] <= n; i++) {
            unsigned symbol = table->symbols[i], run = symbol >> 4;
            unsigned lone = lone_entry(symbol, table->lengths[i]);
            unsigned span = 1u << (n - table->lengths[i]), used = lone & 255;
            uint64_t *out = all + (1u << n) + table->code[i] * span;
            uint64_t places = symbol & 15 ? (uint64_t)1 << run : 0, entry = places << 16 | lone;
            if (lone & RUN_END_OF_BLOCK || used >= n) {
                for (unsigned j = 0; j < span; j++) out[j] = entry;
            } else if (lone) {
                unsigned part = 1u << (n - used);
                for (unsigned j = 0; j < part; j++) {
                    uint64_t after = all[part + j], sum = lone + (after & 0xFFFF);
                    uint64_t both = places | (after >> 16) << (run + 1);
                    out[j] = (sum >> 8 & 127) > 48 ? entry : both << 16 | sum; /* no more places than bits for them */
                }
                for (unsigned j = part; j < span; j += part) memcpy(out + j, out, part * sizeof *out);
            }
        }
    }
    for (unsigned j = 0; j < 2u << bits; j++)
        if (!all[j]) all[j] = RUN_UNKNOWN;
}
