#include <stdlib.h>

#include "walker.h"

#define MAX_SCANS 100 /* real files have about 10 */

/* 8 times the mean of a block: two levels beyond black and white, which are -128 and 127. Good files were seen to reach
   1026. */
#define LOWEST_DC (8 * -130)
#define HIGHEST_DC (8 * 129)

/* Bytes of the file below which tables of short windows are built sooner than those of long ones are paid back. */
#ifndef SHORT_FILE
#define SHORT_FILE 8192
#endif

static const char BAD_SCAN[] = "a bad scan header";

static huffman_table standard_dc[2], standard_ac[2];
static run_table standard_runs[2];

void jpeg_walk_init(void)
{
    if (standard_dc[0].codes) return; /* for another interpreter of this process */
    prepare_waves();
    for (int i = 0; i < 2; i++) {
        build_huffman(&standard_dc[i], &STANDARD_DC[i], true);
        build_huffman(&standard_ac[i], &STANDARD_AC[i], false);
        build_runs(&standard_runs[i], &standard_ac[i], RUN_BITS);
    }
}

/* ---- tables ---- */

static bool is_same(const huffman_spec *a, const huffman_spec *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* The table of a slot, built when a scan first asks for it: one of the standard ones if it has their bytes, or if
   the file has none at all, as frames of Motion-JPEG. NULL with a verdict when there is none, or a bad one. */
static const huffman_table *huffman_of(walker *w, unsigned number, bool is_dc)
{
    table_slot *slot = (is_dc ? w->dc_tables : w->ac_tables) + number;
    huffman_table *built = (is_dc ? w->dc_built : w->ac_built) + number;
    const huffman_spec *standard = is_dc ? STANDARD_DC : STANDARD_AC;
    const huffman_table *prepared = is_dc ? standard_dc : standard_ac;
    if (!slot->is_defined) {
        if (w->has_tables || w->is_progressive || number > 1) {
            corrupt(w, w->at, "a Huffman table that is missing");
            return NULL;
        }
        return &prepared[number];
    }
    for (int i = 0; i < 2; i++)
        if (is_same(&slot->spec, &standard[i])) return &prepared[i];
    if (!slot->is_built) {
        if (!build_huffman(built, &slot->spec, is_dc)) {
            corrupt(w, w->at, "a bad Huffman table");
            return NULL;
        }
        slot->is_built = true;
        slot->runs_bits = 0;
    }
    return built;
}

static const run_table *prepared_runs(const huffman_table *table)
{
    for (int i = 0; i < 2; i++)
        if (table == &standard_ac[i]) return &standard_runs[i];
    return NULL;
}

static const run_table *runs_of(walker *w, const huffman_table *table, unsigned number)
{
    const run_table *prepared = prepared_runs(table);
    if (prepared) return prepared;
    table_slot *slot = &w->ac_tables[number];
    unsigned bits = w->is_short ? SHORT_RUN_BITS : RUN_BITS;
    if (slot->runs_bits != bits) build_runs(&w->runs[number], table, slot->runs_bits = bits);
    return &w->runs[number];
}

/* ---- the header ---- */

static bool read_member(walker *w, int number, const uint8_t *chosen)
{
    member *m = &w->members[number];
    *m = (member){0};
    for (int i = 0; i < w->component_count; i++)
        if (w->components[i].id == chosen[0]) m->of = &w->components[i];
    if (!m->of || chosen[1] >> 4 > 3 || (chosen[1] & 15) > 3) return corrupt(w, w->at, BAD_SCAN);
    for (int i = 0; i < number; i++)
        if (w->members[i].of == m->of) return corrupt(w, w->at, BAD_SCAN);
    if (!w->is_progressive && m->of->is_scanned) return corrupt(w, w->at, "two scans of one component");
    if (!w->steps[m->of->quantisation][0]) return corrupt(w, w->at, "a quantisation table that is missing");
    m->of->is_scanned = true;
    return true;
}

/* The blocks of a group, in order (A.2.3); a component alone has one block in each. */
static bool order_blocks(walker *w)
{
    w->mcu_blocks = 0;
    for (member *m = w->members; m < w->members + w->member_count; m++) {
        unsigned blocks = w->member_count > 1 ? m->of->horizontal * m->of->vertical : 1;
        while (blocks--) {
            if (w->mcu_blocks == MAX_BLOCKS_IN_MCU) return corrupt(w, w->at, "impossible sampling of its colours");
            w->mcu[w->mcu_blocks++] = m;
        }
    }
    return true;
}

/* The rules of a progression (G.1.1.1.1), and what has not come after this scan. AC must not come before DC, of
   which libjpeg warns: so each block has taken a bit before memory is spent on it. */
static bool follow_progression(walker *w)
{
    unsigned first = w->first, last = w->last, high = w->high, low = w->low;
    if (last > 63 || first > last || (first == 0) != (last == 0) || (first && w->member_count > 1) || low > 13 ||
        (high && high - 1 != low))
        return corrupt(w, w->at, BAD_SCAN);
    for (member *m = w->members; m < w->members + w->member_count; m++) {
        int8_t *missing = m->of->missing;
        if (first && missing[0] < 0) return corrupt(w, w->at, "scans in an impossible order");
        for (unsigned k = first; k <= last; k++) {
            if (high ? missing[k] != (int)high : missing[k] >= 0)
                return corrupt(w, w->at, "scans in an impossible order");
            missing[k] = (int8_t)low;
        }
    }
    return true;
}

/* What DC can be after it was divided by its step, to the nearest, and by the point transform, downwards (G.1.2.1). */
static void limit_dc(const walker *w, member *m)
{
    int32_t step = w->steps[m->of->quantisation][0], below = 1 << w->low;
    int32_t lowest = (step / 2 - LOWEST_DC) / step, highest = (HIGHEST_DC + step / 2) / step;
    m->dc_lowest = -((lowest + below - 1) / below);
    m->dc_span = (uint32_t)(highest / below - m->dc_lowest);
}

static bool find_tables(walker *w, const uint8_t *chosen)
{
    bool use_dc = w->first == 0 && w->high == 0, use_ac = w->last > 0;
    for (int i = 0; i < w->member_count; i++) {
        member *m = &w->members[i];
        limit_dc(w, m);
        if (use_dc && !(m->dc = huffman_of(w, chosen[2 * i + 1] >> 4, true))) return false;
        if (use_ac && !(m->ac = huffman_of(w, chosen[2 * i + 1] & 15, false))) return false;
    }
    return true;
}

/* Of components that are not subsampled: encoders may subsample in the transform, and go beyond (libjpeg from 7 on). */
static void bound_members(walker *w)
{
    for (int i = 0; i < w->member_count; i++) {
        const component *c = w->members[i].of;
        if (c->horizontal < w->widest || c->vertical < w->highest) continue;
        bound_samples(&w->bounds[i], w->steps[c->quantisation]);
        w->members[i].bound = &w->bounds[i];
    }
}

/* The tables of windows: in a small file short ones, unless all that are needed are there already. */
static void prepare_windows(walker *w, const uint8_t *chosen)
{
    bool is_prepared = !w->is_progressive;
    for (int i = 0; i < w->member_count && is_prepared; i++) is_prepared = prepared_runs(w->members[i].ac) != NULL;
    w->is_short = w->is_short && !is_prepared;
    for (int i = 0; i < w->member_count && !w->is_progressive; i++)
        w->members[i].runs = runs_of(w, w->members[i].ac, chosen[2 * i + 1] & 15);
    if (w->is_progressive && w->first && !w->high)
        build_band(&w->band, w->members[0].ac, w->is_short ? SHORT_BAND_BITS : BAND_BITS);
}

static bool read_header(walker *w, const uint8_t *body, size_t size)
{
    if (size < 1 || body[0] < 1 || body[0] > 4 || size != 4 + 2u * body[0]) return corrupt(w, w->at, BAD_SCAN);
    w->member_count = body[0];
    for (int i = 0; i < w->member_count; i++)
        if (!read_member(w, i, body + 1 + 2 * i)) return false;
    const uint8_t *band = body + size - 3;
    w->first = band[0];
    w->last = band[1];
    w->high = band[2] >> 4;
    w->low = band[2] & 15;
    if (!order_blocks(w)) return false;
    if (w->is_progressive) {
        if (!follow_progression(w)) return false;
    } else if (w->first != 0 || w->last != 63 || w->high || w->low) {
        return corrupt(w, w->at, BAD_SCAN);
    }
    if (!find_tables(w, body + 1)) return false;
    prepare_windows(w, body + 1);
    if (!w->is_progressive) bound_members(w);
    return true;
}

/* ---- the data ---- */

static bool prepare_memory(walker *w, size_t from)
{
    component *c = w->members[0].of;
    if (!w->interval && !(w->interval = malloc(w->size - from + READER_PADDING))) return out_of_memory(w);
    if (w->first && (w->low || w->high) && !c->nonzero && !(c->nonzero = calloc(c->blocks, sizeof *c->nonzero)))
        return out_of_memory(w);
    return true;
}

static bool pass(walker *w, uint64_t count, uint64_t *nonzero, bool is_last)
{
    if (!w->is_progressive) return pass_sequential(w, count, is_last);
    if (w->first) return (w->high ? refine_ac : pass_ac)(w, count, nonzero, is_last);
    if (w->high) return end_interval(w, count * (unsigned)w->mcu_blocks, is_last); /* a bit for each block */
    return pass_dc(w, count, is_last);
}

static uint64_t count_groups(const walker *w)
{
    if (w->member_count == 1) return w->members[0].of->blocks;
    unsigned across = 8 * w->widest, down = 8 * w->highest;
    return (uint64_t)((w->width + across - 1) / across) * ((w->height + down - 1) / down);
}

/* All restart intervals (B.2.1, E.2.4). */
static bool read_data(walker *w, size_t from)
{
    uint64_t left = count_groups(w), *nonzero = w->first ? w->members[0].of->nonzero : NULL;
    for (unsigned restart = 0xD0;; restart = restart == 0xD7 ? 0xD0 : restart + 1) {
        uint64_t count = w->restart_interval && w->restart_interval < left ? w->restart_interval : left;
        left -= count;
        for (int i = 0; i < w->member_count; i++) w->members[i].dc_before = 0;
        if (!load_interval(w, from) || !pass(w, count, nonzero, !left)) return false;
        if (nonzero) nonzero += count;
        unsigned marker = w->data[w->interval_end + 1];
        bool is_restart = marker >= 0xD0 && marker <= 0xD7;
        if (left ? marker != restart : is_restart && (!w->restart_interval || marker != restart))
            return corrupt(w, w->interval_end, "a restart marker that is missing or out of order");
        from = w->interval_end + (is_restart ? 2 : 0); /* some encoders write one after the last interval */
        if (!left) break;
    }
    w->at = from;
    return true;
}

bool read_scan(walker *w, const uint8_t *body, size_t size)
{
    size_t from = (size_t)(body - w->data) + size;
    if (!w->component_count) return corrupt(w, w->at, "picture data before the frame header");
    if (w->is_sequential_done) return corrupt(w, w->at, "more picture data than components");
    if (++w->scans > MAX_SCANS) return corrupt(w, w->at, "more than 100 scans");
    w->is_short = w->size - from < SHORT_FILE;
    if (!read_header(w, body, size) || !prepare_memory(w, from) || !read_data(w, from)) return false;
    /* libjpeg takes the first full scan of a sequential file for all of it, and fails at a second. */
    w->is_sequential_done = !w->is_progressive && w->member_count == w->component_count;
    return true;
}
