/* The state of one walk, and its parts: each file of functions here is one step of it. */
#ifndef WALKER_H
#define WALKER_H

#include "huffman.h"
#include "jpeg_walk.h"

#define MAX_BLOCKS_IN_MCU 10 /* B.2.3 */

typedef struct {
    unsigned id, horizontal, vertical; /* sampling factors, 1 to 4 */
    unsigned quantisation;
    uint64_t blocks;    /* of a scan of this component alone (A.2.2) */
    uint64_t *nonzero;  /* progressive: of each block, which AC coefficients are; NULL until that matters */
    int8_t missing[64]; /* of each coefficient, how many bits have not come; -1: none has */
    bool is_scanned;
} component;

/* How far samples may go, by a quantisation table (samples.c). */
typedef struct {
    const uint16_t *steps;
    float beyond[64];     /* of each sample: levels that it may be beyond black or white */
    uint32_t weights[65]; /* of the last of so many coefficients: what 4 steps of it add to a sample at its crest */
    uint64_t doubtful;    /* what adds up to more in a block makes its samples worth a look */
} sample_bound;

/* A component in the scan. */
typedef struct {
    component *of;
    const huffman_table *dc, *ac;
    const run_table *runs;
    sample_bound *bound; /* NULL: not looked at */
    int32_t dc_before, dc_lowest;
    uint32_t dc_span; /* from the lowest to the highest */
} member;

typedef struct {
    huffman_spec spec;
    bool is_defined, is_built;
    unsigned runs_bits; /* of its table in `runs`; 0: none */
} table_slot;

typedef struct {
    const uint8_t *data;
    size_t size, at; /* `at`: the marker that is being read */
    jpeg_verdict verdict;

    unsigned width, height, widest, highest; /* the last two: the largest sampling factors */
    int component_count;                     /* 0: no frame header yet */
    component components[4];
    bool is_progressive;
    uint16_t steps[4][64]; /* by quantisation table, in zigzag order; 0: not defined */
    table_slot dc_tables[4], ac_tables[4];
    bool has_tables; /* any DHT came */
    unsigned restart_interval;
    unsigned scans;
    bool is_sequential_done;

    /* The scan. */
    int member_count;
    member members[4];
    int mcu_blocks;
    member *mcu[MAX_BLOCKS_IN_MCU];
    unsigned first, last, high, low; /* Ss, Se, Ah, Al */
    bool is_short;                   /* too little data for large tables to pay */

    /* The restart interval: its data without stuffing, READER_PADDING zeros after them. */
    uint8_t *interval;
    size_t interval_size;
    size_t interval_at, interval_end; /* in the file */

    /* 140 KiB that are not cleared for each file: what slots do not say to be built is rubbish. */
    huffman_table dc_built[4], ac_built[4];
    run_table runs[4];
    band_table band;
    sample_bound bounds[4];
} walker;

/* These record the verdict and return false. */
bool corrupt(walker *w, size_t at, const char *detail);
bool truncated(walker *w);
bool unsupported(walker *w, const char *detail);
bool out_of_memory(walker *w);

/* segments.c: the segments with tables, and the frame header. `body` is `size` bytes. */
bool read_quantisation(walker *w, const uint8_t *body, size_t size);
bool read_huffman(walker *w, const uint8_t *body, size_t size);
bool read_frame(walker *w, int marker, const uint8_t *body, size_t size);

/* scan.c: a scan's header and all of its data. w->at is at the marker after them when it returns true. */
bool read_scan(walker *w, const uint8_t *body, size_t size);

/* interval.c: what is between two restart markers. */
bool load_interval(walker *w, size_t at);
bool end_interval(walker *w, uint64_t used, bool is_last);
bool corrupt_at_bit(walker *w, size_t position, const char *detail);
bool ends_early(walker *w);
void note_range(walker *w, size_t position);
void note_dc_range(walker *w, member *m, size_t position);

/* samples.c: the samples of sequential files; prepare_waves() before any of them. `start`, `end`: the bits of the AC of a
   block that is right. */
void prepare_waves(void);
void bound_samples(sample_bound *bound, const uint16_t steps[64]);
void look_at_samples(walker *w, const member *m, size_t start, size_t end);

/* sequential.c, progressive.c: the data of one restart interval, of `count` groups of blocks (MCUs) or, for AC alone,
   blocks. */
bool pass_sequential(walker *w, uint64_t count, bool is_last);
bool pass_dc(walker *w, uint64_t count, bool is_last);
bool pass_ac(walker *w, uint64_t count, uint64_t *nonzero, bool is_last);
bool refine_ac(walker *w, uint64_t count, uint64_t *nonzero, bool is_last);

#define INVALID_CODE "bits that are no Huffman code"
#define BAD_SYMBOL "a number of more bits than there can be"
#define TOO_MANY_COEFFICIENTS "a block of more than 64 coefficients"
#define LONG_END_RUN "a run of empty blocks longer than the picture"

#endif
