/* The native walk as libFuzzer calls it, on a copy of exactly `size` bytes: sanitizers see whatever is read beyond. */
#include <stdlib.h>

#include "jpeg_walk.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    jpeg_walk_init();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jpeg_verdict verdict = jpeg_walk(data, size);
    if (verdict.at > size || (verdict.reason == JPEG_RIGHT) != !verdict.detail) abort();
    if (verdict.reason == JPEG_NO_MEMORY) abort();
    if (jpeg_next_marker(data, size, verdict.at) > size) abort();
    return 0;
}

#ifdef STANDALONE
/* target SEED RUNS FILE...: changes of sound files, for compilers without libFuzzer. */
#include <stdio.h>
#include <string.h>

static uint64_t state;

static size_t below(size_t limit) /* xorshift64* */
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (size_t)((state * 0x2545F4914F6CDD1Du) >> 33) % limit;
}

typedef struct {
    uint8_t *data;
    size_t size;
} bytes;

static bytes read_all(const char *path)
{
    bytes file = {malloc(1 << 20), 0};
    FILE *stream = fopen(path, "rb");
    if (!stream || !file.data) exit(2);
    file.size = fread(file.data, 1, 1 << 20, stream);
    fclose(stream);
    return file;
}

/* One change; half of them in the first 700 bytes, where most headers are. */
static void change(bytes *input, const bytes *other)
{
    size_t at = below(below(2) && input->size > 700 ? 700 : input->size), left = input->size - at;
    size_t length = 1 + below(left < 64 ? left : 64);
    switch (below(6)) {
    case 0: input->data[at] ^= (uint8_t)(1 << below(8)); break;
    case 1: input->data[at] = (uint8_t)below(256); break;
    case 2: memset(input->data + at, below(2) ? 0 : 0xFF, length); break;
    case 3: memmove(input->data + at, input->data + at + length, left - length); input->size -= length; break;
    case 4: memcpy(input->data + at, other->data + below(other->size - 1), 1); break;
    default:
        while (at + 1 < input->size && (input->data[at] != 0xFF || !input->data[at + 1])) at++;
        if (at + 1 < input->size) input->data[at + 1] = (uint8_t)(0xC0 + below(64));
    }
}

int main(int argc, char **argv)
{
    int count = argc - 3;
    if (count < 1) return 2;
    bytes *files = malloc((size_t)count * sizeof *files);
    for (int i = 0; i < count; i++) files[i] = read_all(argv[3 + i]);
    state = strtoull(argv[1], NULL, 10) * 0x9E3779B97F4A7C15u + 1;
    LLVMFuzzerInitialize(NULL, NULL);
    for (long run = atol(argv[2]); run; run--) {
        const bytes *file = &files[below((size_t)count)];
        bytes input = {malloc(file->size), file->size};
        memcpy(input.data, file->data, file->size);
        for (size_t changes = 1 + below(6); changes && input.size > 1; changes--) change(&input, &files[below((size_t)count)]);
        input.data = realloc(input.data, input.size); /* so that the end is where the file ends */
        LLVMFuzzerTestOneInput(input.data, input.size);
        free(input.data);
    }
    for (int i = 0; i < count; i++) free(files[i].data);
    free(files);
    return 0;
}
#endif
