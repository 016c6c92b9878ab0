/* A strict walk over a Huffman-coded JPEG: every code of its picture data is read, nothing is decoded to pixels.

   Baseline, extended sequential and progressive files of 8 bits (SOF0, SOF1, SOF2), 1 to 4 components.
   Section numbers throughout are those of ITU-T T.81. */
#ifndef JPEG_WALK_H
#define JPEG_WALK_H

#include <stddef.h>
#include <stdint.h>

/* Counts up whenever the verdict on any file changes. */
#define JPEG_WALK_VERSION 3

typedef enum {
    JPEG_RIGHT,
    JPEG_TRUNCATED,   /* the file ends before its picture does */
    JPEG_CORRUPT,     /* something that no encoder writes */
    JPEG_INCOMPLETE,  /* what is there is right, but scans never came */
    JPEG_DC_RANGE,    /* all can be read, but a block goes beyond black or white */
    JPEG_UNSUPPORTED, /* not judged: arithmetic, lossless or hierarchical coding, 12 bits, other numbers of components */
    JPEG_NO_MEMORY,
} jpeg_reason;

typedef struct {
    jpeg_reason reason;
    const char *detail; /* for people; static; NULL when right */
    size_t at;          /* the byte of the file where it shows */
} jpeg_verdict;

/* Prepares the tables that most files share. Before any walk. */
void jpeg_walk_init(void);

/* Walks from SOI to the first EOI; what follows is not looked at.

   Reads nothing outside `data`. Allocates at most 65 times `size` and 256 KiB: a copy of the picture data, and
   for progressive files 8 bytes a block, of which each took a bit at least. Takes time in proportion to `size`
   times the number of scans, which is at most 100. Many threads may walk at once.

   The first problem is the verdict, but JPEG_DC_RANGE only if no other follows. */
jpeg_verdict jpeg_walk(const uint8_t *data, size_t size);

/* Where the first marker from `at` on is that may end entropy-coded data (B.1.1.2, B.1.1.5): neither stuffing, nor a
   restart marker, nor fill. `size` if there is none. */
size_t jpeg_next_marker(const uint8_t *data, size_t size, size_t at);

#endif
