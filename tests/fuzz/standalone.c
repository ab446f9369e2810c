/* The fuzzer's entry without libFuzzer: changes seeds at random, by a fixed generator, for a number of seconds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INPUT_MAX (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state = 88172645463325252u;

/* xorshift64, Marsaglia 2003 */
static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void change(uint8_t *bytes, size_t size)
{
    static const uint64_t telling[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, UINT64_MAX, UINT64_C(1) << 63, 65536};
    unsigned changes = 1 + (unsigned)(next_random() % 4);
    for (unsigned i = 0; i < changes && size > 0; i++) {
        size_t at = next_random() % size, width = (size_t)1 << next_random() % 4;
        uint64_t way = next_random() % 4;
        size_t from = next_random() % size, part = next_random() % 64;
        if (way == 0)
            memmove(bytes + at, bytes + from, part < size - (at > from ? at : from) ? part : 0);
        else if (way == 1)
            bytes[at] ^= (uint8_t)(1u << next_random() % 8);
        else if (size - at >= width)
            memcpy(bytes + at, &telling[next_random() % 8], width);
    }
}

int main(int argc, char **argv)
{
    static uint8_t seed[INPUT_MAX], input[INPUT_MAX];
    time_t end = time(NULL) + (argc > 1 ? atol(argv[1]) : 60);
    unsigned long runs = 0;
    if (argc < 3) {
        fputs("usage: standalone SECONDS SEED...\n", stderr);
        return 2;
    }
    while (time(NULL) < end) {
        FILE *file = fopen(argv[2 + next_random() % (unsigned)(argc - 2)], "re");
        size_t size = file != NULL ? fread(seed, 1, sizeof(seed), file) : 0;
        if (file != NULL)
            fclose(file);
        for (unsigned i = 0; i < 100; i++, runs++) {
            memcpy(input, seed, size);
            change(input, size);
            LLVMFuzzerTestOneInput(input, next_random() % 8 == 0 && size > 0 ? next_random() % size : size);
        }
    }
    printf("%lu runs\n", runs);
    return 0;
}
