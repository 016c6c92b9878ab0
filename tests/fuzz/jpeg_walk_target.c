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
    return 0;
}
