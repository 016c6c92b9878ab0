/* Reads bits from the most significant on, out of a buffer with READER_PADDING bytes behind it. */
#ifndef BIT_READER_H
#define BIT_READER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline, cold))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Callers compare the position with the end after each block (after each group of 10 where there is DC only).
   The longest block is one DC of 16 + 11 bits and 63 AC of 16 + 10, which is 209 bytes; refill() reads 8 more. */
#define READER_PADDING 256

typedef struct {
    const uint8_t *start;
    const uint8_t *next; /* the byte of the first bit that `count` does not count */
    uint64_t window;     /* what comes, from the top */
    unsigned count;      /* bits of `window` that may be used */
} bit_reader;

INLINE uint64_t big_endian_64(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* At least 56 bits may be used after it. The bits below `count` are true ones already, hence the OR. */
INLINE void refill(bit_reader *bits)
{
    bits->window |= big_endian_64(bits->next) >> bits->count;
    bits->next += (63 - bits->count) >> 3;
    bits->count |= 56;
}

INLINE bit_reader reader_at(const uint8_t *start, size_t position)
{
    bit_reader bits = {start, start + (position >> 3), 0, 0};
    refill(&bits);
    bits.window <<= position & 7;
    bits.count -= position & 7;
    return bits;
}

/* The next `n` bits, 1 to 56. */
INLINE unsigned peek(const bit_reader *bits, unsigned n)
{
    return (unsigned)(bits->window >> (64 - n));
}

/* 0 to 56 of those that may be used. */
INLINE void skip(bit_reader *bits, unsigned n)
{
    bits->window <<= n & 63;
    bits->count -= n;
}

/* Bits from the start. */
INLINE size_t position(const bit_reader *bits)
{
    return (size_t)(bits->next - bits->start) * 8 - bits->count;
}

#endif
