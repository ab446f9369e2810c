/*
 * A seccomp filter that answers system calls with an errno. As a program: refuse ERRNO NUMBER[,NUMBER...] COMMAND...
 * As a library: refuse_calls().
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CALLS_MAX 32

int refuse_calls(const char *numbers, int error)
{
    struct sock_filter filter[2 * CALLS_MAX + 2];
    unsigned short length = 0;
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (const char *at = numbers; *at != '\0' && length < 2 * CALLS_MAX;) {
        char *end;
        unsigned int number = (unsigned int)strtoul(at, &end, 10);
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)error);
        at = *end == ',' ? end + 1 : end;
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {length, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return errno;
    }
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
}

int main(int count, char **arguments)
{
    if (count < 4) {
        fprintf(stderr, "usage: refuse ERRNO NUMBERS COMMAND...\n");
        return 2;
    }
    int error = refuse_calls(arguments[2], atoi(arguments[1]));
    if (error != 0) {
        fprintf(stderr, "refuse: seccomp: errno %d\n", error);
        return 2;
    }
    execv(arguments[3], arguments + 3);
    perror(arguments[3]);
    return 127;
}
