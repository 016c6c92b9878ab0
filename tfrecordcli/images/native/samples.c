/* Whether a block goes beyond black or white. The samples of an encoder are of 8 bits and it moves each coefficient by
   half a step at most, so those of a decoder are no further beyond than half of all steps add up to, each times its wave:
   what a coefficient of 1 adds to the samples (A.3.3, A.3.4).

   Samples take longer than all else, so only those of some blocks are computed: for which an estimate by the sizes of
   coefficients, no bound, is DOUBTFUL levels above the bound, as it is for few but damaged ones, and with each one that was computed LESS_DOUBTFUL levels
   more, so that busy pictures take little longer. */
#include "walker.h"

#define BLACK (-128.0f) /* after the shift of levels (A.3.1) */
#define WHITE 127.0f
#define TOLERANCE 2.0f /* levels, for what encoders round besides */
#define DOUBTFUL 50
#define LESS_DOUBTFUL 1

#define PARTS 32             /* of a level: the unit of weights */
#define LARGEST_WEIGHT 32000 /* so that 32 bits hold what they add up to in a block */

static const uint8_t PLACES[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
                                   41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
                                   30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

/* Of one dimension: by frequency and sample, how high they are there and how far from zero; how far at most. */
static float waves[8][8], heights[8][8], largest[8];

void prepare_waves(void)
{
    /* cos(i * pi / 16) / 2 */
    static const float cosines[9] = {0.5f,         0.490392640f, 0.461939766f, 0.415734806f, 0.353553391f,
                                     0.277785117f, 0.191341716f, 0.097545161f, 0.0f};
    for (unsigned u = 0; u < 8; u++) {
        for (unsigned x = 0; x < 8; x++) {
            unsigned angle = (2 * x + 1) * u % 32, i = angle > 16 ? 32 - angle : angle;
            float height = u ? cosines[i > 8 ? 16 - i : i] : cosines[4];
            waves[u][x] = i > 8 ? -height : height;
            heights[u][x] = height;
            if (height > largest[u]) largest[u] = height;
        }
    }
}

/* What coefficients add to each sample: columns first, then rows. */
static void add_up(float samples[64], const int32_t coefficients[64], float by[8][8])
{
    float columns[64] = {0};
    for (int v = 0; v < 8; v++)
        for (int y = 0; y < 8; y++)
            for (int u = 0; u < 8; u++) columns[8 * y + u] += by[v][y] * (float)coefficients[8 * v + u];
    for (int y = 0; y < 8; y++) {
        float row[8] = {0};
        for (int u = 0; u < 8; u++)
            for (int x = 0; x < 8; x++) row[x] += columns[8 * y + u] * by[u][x];
        memcpy(samples + 8 * y, row, sizeof row);
    }
}

void bound_samples(sample_bound *bound, const uint16_t steps[64])
{
    int32_t placed[64];
    for (int k = 0; k < 64; k++) {
        unsigned place = PLACES[k];
        float weight = 4.0f * PARTS * steps[k] * largest[place % 8] * largest[place / 8];
        bound->weights[k + 1] = weight < LARGEST_WEIGHT ? (uint32_t)weight : LARGEST_WEIGHT;
        placed[place] = steps[k];
    }
    add_up(bound->beyond, placed, heights);
    float least = bound->beyond[0];
    for (int i = 0; i < 64; i++) {
        bound->beyond[i] = bound->beyond[i] / 2 + TOLERANCE;
        if (bound->beyond[i] < least) least = bound->beyond[i];
    }
    bound->steps = steps;
    bound->doubtful = (uint64_t)((WHITE + least + DOUBTFUL) * PARTS);
}

/* The AC of a block that is right. */
static void read_block(const member *m, bit_reader bits, int32_t coefficients[64])
{
    for (unsigned k = 1; k < 64; k++) {
        refill(&bits);
        unsigned found = next_symbol(m->ac, &bits), size = found & 15;
        if (!(found & 255)) return;
        skip(&bits, found >> 8);
        k += found >> 4 & 15;
        if (!size) continue;
        int32_t number = (int32_t)peek(&bits, size), is_positive = number >> (size - 1);
        skip(&bits, size);
        coefficients[PLACES[k]] = (number - ((is_positive - 1) & ((1 << size) - 1))) * m->bound->steps[k];
    }
}

static bool is_beyond(const walker *w, const member *m, size_t start)
{
    int32_t coefficients[64] = {m->dc_before * m->bound->steps[0]};
    float samples[64];
    read_block(m, reader_at(w->interval, start), coefficients);
    add_up(samples, coefficients, waves);
    bool is_any = false;
    for (int i = 0; i < 64; i++)
        is_any |= samples[i] > WHITE + m->bound->beyond[i] || samples[i] < BLACK - m->bound->beyond[i];
    return is_any;
}

void look_at_samples(walker *w, const member *m, size_t start, size_t end)
{
    if (w->verdict.reason != JPEG_RIGHT) return; /* DC may be beyond what 32 bits hold here */
    if (is_beyond(w, m, start)) note_range(w, end);
    m->bound->doubtful += LESS_DOUBTFUL * PARTS;
}
