/* Copies by instructions that touch two places at once, or many, or memory and code that soon are gone. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

void copy_rep(int64_t *to, const int64_t *from, int count)
{
    size_t words = (size_t)count;
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words)::"memory");
}

void copy_movsq(int64_t *to, const int64_t *from, int count)
{
    for (int i = 0; i < count; i++) {
        __asm__ volatile("movsq" : "+D"(to), "+S"(from)::"memory");
    }
}

/* push MEMORY loads and stores in one instruction, right below the frame; so does pop MEMORY. */
void copy_push_pop(int64_t *to, const int64_t *from, int count)
{
    for (int i = 0; i < count; i++) {
        __asm__ volatile("sub $128, %%rsp\n\tpushq (%1)\n\tpopq (%0)\n\tadd $128, %%rsp" ::"r"(to + i), "r"(from + i)
                         : "memory", "cc");
    }
}

void copy_vector(int64_t *to, const int64_t *from, int count)
{
    for (int i = 0; i + 2 <= count; i += 2) {
        __asm__ volatile("movdqu (%1), %%xmm0\n\tmovdqu %%xmm0, (%0)" ::"r"(to + i), "r"(from + i) : "xmm0", "memory");
    }
}

/* Read-modify-write forms. */
void exchange_twice(int64_t *to, const int64_t *from, int count)
{
    for (int i = 0; i < count; i++) {
        int64_t value = from[i], old = value;
        __asm__ volatile("xchg %0, (%1)\n\tlock xadd %0, (%1)\n\tmov %2, (%1)"
                         : "+r"(old)
                         : "r"(to + i), "r"(value)
                         : "memory", "cc");
    }
}

int map_use_unmap(int pages)
{
    size_t bytes = (size_t)pages * 4096;
    int sum = 0;
    volatile char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int round = 0; round < 50; round++) {
        for (size_t at = 0; at < bytes; at += 64) {
            memory[at] = (char)(memory[at] + 1);
        }
    }
    for (size_t at = 0; at < bytes; at += 4096) {
        sum += memory[at] == 50;
    }
    mprotect((void *)memory, bytes / 2, PROT_NONE);
    madvise((char *)memory + bytes / 2, bytes / 2, MADV_DONTNEED);
    munmap((void *)memory, bytes);
    return sum;
}

/* mov eax, 0; loop: inc eax; cmp eax, edi; jne loop; ret - with no unwind table for it anywhere. */
int run_generated(int count)
{
    static const unsigned char code[] = {0xb8, 0, 0, 0, 0, 0xff, 0xc0, 0x39, 0xf8, 0x75, 0xfa, 0xc3};
    unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int (*generated)(int);
    memcpy(page, code, sizeof code);
    mprotect(page, 4096, PROT_READ | PROT_EXEC);
    memcpy(&generated, &page, sizeof page);
    int result = generated(count);
    munmap(page, 4096);
    return result;
}
