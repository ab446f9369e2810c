#include "say.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "config.h"
#include "kernel.h"

#define SAY_STDERR 2
#define SAY_PATIENCE_MS 100

/*
 * What descriptor 2 was when the shim started. A program that closed everything may have its own file or socket there by
 * the time something is to be said: a line of ours would damage it, so it is then dropped.
 */
static struct stat say_stderr;
static bool say_started;

void say_start(void)
{
    say_started = fstat(SAY_STDERR, &say_stderr) == 0;
}

static bool say_is_welcome(void)
{
    struct stat now;
    if (!say_started || fstat(SAY_STDERR, &now) != 0 || now.st_dev != say_stderr.st_dev ||
        now.st_ino != say_stderr.st_ino) {
        return false;
    }
    /* A full pipe that nobody reads would hold up the program. */
    struct pollfd ready = {.fd = SAY_STDERR, .events = POLLOUT};
    struct timespec patience = {.tv_nsec = SAY_PATIENCE_MS * 1000000L};
    return syscall(SYS_ppoll, &ready, 1, &patience, NULL, 0) == 1 && (ready.revents & POLLOUT) != 0;
}

static uint64_t signal_bit(int number)
{
    return UINT64_C(1) << (number - 1);
}

/*
 * A pipe without a reader sends this thread SIGPIPE, a file at its limit SIGXFSZ: both are held off and, when new, taken back. A terminal
 * that belongs to others sends the whole process group SIGTTOU, which stops it; from who holds it off the terminal takes the line.
 */
static void say_write(const char *line, size_t length)
{
    const uint64_t held = signal_bit(SIGPIPE) | signal_bit(SIGXFSZ) | signal_bit(SIGTTOU);
    uint64_t mask_before = 0, pending_before = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &held, &mask_before, sizeof mask_before);
    syscall(SYS_rt_sigpending, &pending_before, sizeof pending_before);
    ssize_t written = kernel_write(SAY_STDERR, line, length);
    const uint64_t sent = written >= 0     ? 0
                          : errno == EPIPE ? signal_bit(SIGPIPE)
                          : errno == EFBIG ? signal_bit(SIGXFSZ)
                                           : 0;
    if (sent != 0 && (pending_before & sent) == 0) {
        struct timespec at_once = {0};
        syscall(SYS_rt_sigtimedwait, &sent, NULL, &at_once, sizeof sent);
    }
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask_before, NULL, sizeof mask_before);
}

void say(enum say_level level, const char *format, ...)
{
    if ((int)level > config.log_level) {
        return;
    }
    int errno_before = errno;
    if (say_is_welcome()) {
        char line[CONFIG_PATH_BYTES * 2 + 512] = "pieprof: ";
        size_t used = strlen(line);
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
        va_end(arguments);
        size_t room = sizeof line - used - 2;
        used += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room;
        line[used++] = '\n';
        say_write(line, used);
    }
    errno = errno_before;
}

void say_quote(char *to, size_t capacity, const char *text)
{
    size_t used = 0;
    for (const unsigned char *byte = (const unsigned char *)text; *byte != '\0'; byte++) {
        bool plain = *byte >= 0x20 && *byte != 0x7f && *byte != '"' && *byte != '\\';
        if (used + 5 + sizeof "..." > capacity) {
            used += (size_t)snprintf(to + used, capacity - used, "...");
            break;
        }
        if (plain) {
            to[used++] = (char)*byte;
        } else {
            used += (size_t)snprintf(to + used, capacity - used, "\\x%02x", *byte);
        }
    }
    to[used] = '\0';
}
