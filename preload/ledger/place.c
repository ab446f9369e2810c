/*
 * Which file this process records into. The path's last component is created, joined, or what lies there makes way, all
 * under one lock on the directory; a run that still lives is never touched.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "kernel.h"
#include "ledger/map.h"
#include "say.h"

#define PLACE_LOCK_ATTEMPTS 100
#define PLACE_LOCK_PAUSE_NS 10000000L

enum place_result {
    PLACE_OPENED,
    PLACE_AGAIN,     /* somebody was quicker: look again */
    PLACE_LIVE,      /* another run's, which still lives */
    PLACE_ELSEWHERE, /* this run's, of another machine on a shared file system: mappings would not agree */
    PLACE_REFUSED,   /* said */
};

static int place_directory;

static enum place_result place_refuse(const char *why)
{
    char quoted[CONFIG_PATH_BYTES];
    say_quote(quoted, sizeof quoted, ledger_map.path);
    say(SAY_ERROR, "cannot record to \"%s\": %s; the program runs unprofiled", quoted, why);
    return PLACE_REFUSED;
}

static const char *place_name(void)
{
    return strrchr(ledger_map.path, '/') + 1;
}

static int place_directory_open(void)
{
    char directory[CONFIG_PATH_BYTES];
    size_t length = (size_t)(place_name() - ledger_map.path);
    memcpy(directory, ledger_map.path, length);
    directory[length] = '\0';
    return kernel_open_at(AT_FDCWD, directory, O_RDONLY | O_DIRECTORY, 0);
}

/* About a second at most: a stranger's lock on the directory must not hold up the program. */
static void place_directory_lock(void)
{
    for (int i = 0; i < PLACE_LOCK_ATTEMPTS && flock(place_directory, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
         i++) {
        struct timespec pause = {.tv_nsec = PLACE_LOCK_PAUSE_NS};
        nanosleep(&pause, NULL);
    }
}

/* "out.db" becomes "out.WORD.db", "out" becomes "out.WORD". */
static void place_insert(const char *word)
{
    char path[CONFIG_PATH_BYTES];
    const char *name = place_name();
    const char *dot = strrchr(name, '.');
    size_t before = dot == NULL || dot == name ? strlen(ledger_map.path) : (size_t)(dot - ledger_map.path);
    int length = snprintf(path, sizeof path, "%.*s.%s%s", (int)before, ledger_map.path, word, ledger_map.path + before);
    if (length > 0 && (size_t)length < sizeof path) {
        memcpy(ledger_map.path, path, (size_t)length + 1);
    }
}

static enum place_result place_create(int descriptor)
{
    int error = ledger_header_write(descriptor);
    if (error == 0) {
        return PLACE_OPENED;
    }
    unlinkat(place_directory, place_name(), 0);
    return place_refuse(strerror(error));
}

/* Something of the user's own that stands at a name, not a profile. */
static bool place_is_foreign(const char *name)
{
    struct db_header header;
    struct stat status;
    if (fstatat(place_directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_size == 0) {
        return false;
    }
    int descriptor = kernel_open_at(place_directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    bool foreign = descriptor < 0 || !ledger_header_read(descriptor, &header);
    if (descriptor >= 0) {
        kernel_close(descriptor);
    }
    return foreign;
}

/* The last profile gives way to this one; a file that is none is never overwritten, not at the next run either. */
static enum place_result place_make_way(bool profile, bool empty)
{
    char old[CONFIG_PATH_BYTES];
    snprintf(old, sizeof old, "%s.old", place_name());
    if (place_is_foreign(old)) {
        char aside[CONFIG_PATH_BYTES];
        snprintf(aside, sizeof aside, "%s.%d.old", place_name(), kernel_process_id());
        renameat(place_directory, old, place_directory, aside);
    }
    if (renameat(place_directory, place_name(), place_directory, old) != 0) {
        return errno == ENOENT ? PLACE_AGAIN : place_refuse(strerror(errno));
    }
    if (!profile && !empty) {
        char quoted[CONFIG_PATH_BYTES], kept[CONFIG_PATH_BYTES];
        say_quote(quoted, sizeof quoted, ledger_map.path);
        say_quote(kept, sizeof kept, old);
        say(SAY_ERROR, "\"%s\" was no profile of this version; it is kept as \"%s\" beside it", quoted, kept);
    }
    return PLACE_AGAIN;
}

static enum place_result place_consider(int descriptor, bool empty)
{
    struct db_header header;
    bool profile = ledger_header_read(descriptor, &header);
    if (profile && strcmp(header.run_name, config.run_name) == 0) {
        char host[DB_HOST_NAME_BYTES];
        uint8_t boot_id[16];
        ledger_host_name(host);
        ledger_boot_id(boot_id);
        if (memcmp(header.boot_id, boot_id, sizeof boot_id) == 0) {
            return PLACE_OPENED;
        }
        if (strcmp(header.host_name, host) != 0) {
            return PLACE_ELSEWHERE;
        }
    }
    return ledger_is_live(descriptor, profile ? &header : NULL) ? PLACE_LIVE : place_make_way(profile, empty);
}

/* What already lies at the path: looked at before it is opened, for opening a device may do something. */
static enum place_result place_open_existing(int *descriptor)
{
    struct stat status;
    if (fstatat(place_directory, place_name(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? PLACE_AGAIN : place_refuse(strerror(errno));
    }
    if (S_ISLNK(status.st_mode)) {
        return place_refuse("it is a symbolic link");
    }
    if (!S_ISREG(status.st_mode)) {
        return place_refuse("it is not a regular file");
    }
    if (status.st_uid != geteuid()) {
        return place_refuse("it belongs to another user");
    }
    *descriptor = kernel_open_at(place_directory, place_name(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    if (*descriptor < 0) {
        return errno == ENOENT ? PLACE_AGAIN : place_refuse(strerror(errno));
    }
    struct stat opened;
    if (fstat(*descriptor, &opened) != 0 || opened.st_ino != status.st_ino || opened.st_dev != status.st_dev) {
        return PLACE_AGAIN;
    }
    return place_consider(*descriptor, opened.st_size == 0);
}

static enum place_result place_try(int *descriptor, bool *created)
{
    *descriptor = kernel_open_at(place_directory, place_name(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    *created = *descriptor >= 0;
    enum place_result result = *created          ? place_create(*descriptor)
                               : errno == EEXIST ? place_open_existing(descriptor)
                                                 : place_refuse(strerror(errno));
    if (result != PLACE_OPENED && *descriptor >= 0) {
        kernel_close(*descriptor);
    }
    return result;
}

static bool place_is_run_file(const char *name)
{
    struct db_header header;
    int descriptor = kernel_open_at(place_directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    bool ours =
        descriptor >= 0 && ledger_header_read(descriptor, &header) && strcmp(header.run_name, config.run_name) == 0;
    if (descriptor >= 0) {
        kernel_close(descriptor);
    }
    return ours;
}

/*
 * Ranks that a launcher started side by side share their run's name, not its first process's environment: where one of
 * them had to go to out.PID.db, the others find that file by its header.
 */
static bool place_find_run_file(void)
{
    char wanted[CONFIG_PATH_BYTES];
    const char *dot = strrchr(place_name(), '.');
    size_t stem = dot == NULL || dot == place_name() ? strlen(place_name()) : (size_t)(dot - place_name());
    DIR *directory = fdopendir(kernel_open_at(place_directory, ".", O_RDONLY | O_DIRECTORY, 0));
    struct dirent *entry;
    bool found = false;
    while (directory != NULL && !found && (entry = readdir(directory)) != NULL) {
        size_t digits = strlen(entry->d_name) > stem + 1 ? strspn(entry->d_name + stem + 1, "0123456789") : 0;
        snprintf(wanted, sizeof wanted, "%.*s.%.*s%s", (int)stem, place_name(), (int)digits, entry->d_name + stem + 1,
                 place_name() + stem);
        found = digits > 0 && strcmp(wanted, entry->d_name) == 0 && place_is_run_file(wanted);
    }
    if (directory != NULL) {
        closedir(directory);
    }
    if (found) {
        strcpy(ledger_map.path + (place_name() - ledger_map.path), wanted);
    }
    return found;
}

/* The file of a live run stays alone: this run takes a name of its own, and says so once. */
static void place_step_aside(void)
{
    char from[CONFIG_PATH_BYTES], to[CONFIG_PATH_BYTES], pid[16];
    say_quote(from, sizeof from, ledger_map.path);
    if (place_find_run_file()) {
        return;
    }
    snprintf(pid, sizeof pid, "%d", kernel_process_id());
    place_insert(pid);
    say_quote(to, sizeof to, ledger_map.path);
    say(SAY_ERROR, "a live run holds \"%s\"; this one writes \"%s\"", from, to);
}

static int place_search(bool *created)
{
    char host[DB_HOST_NAME_BYTES];
    bool aside = false, elsewhere = false;
    for (int attempt = 0; attempt < 16; attempt++) {
        int descriptor;
        enum place_result result = place_try(&descriptor, created);
        if (result == PLACE_OPENED || result == PLACE_REFUSED) {
            return result == PLACE_OPENED ? descriptor : -1;
        }
        if (result == PLACE_ELSEWHERE && !elsewhere) {
            elsewhere = true;
            ledger_host_name(host);
            place_insert(host);
        } else if (result == PLACE_LIVE && !aside) {
            aside = true;
            place_step_aside();
        } else if (result != PLACE_AGAIN) {
            break;
        }
    }
    place_refuse("it changes hands all the time");
    return -1;
}

int ledger_place_open(bool *created)
{
    place_directory = place_directory_open();
    if (place_directory < 0) {
        place_refuse(strerror(errno));
        return -1;
    }
    place_directory_lock();
    int descriptor = place_search(created);
    /* Held from here on by the file's own lock, so that whoever gets the directory next sees a live run. */
    if (descriptor >= 0) {
        flock(descriptor, LOCK_SH | LOCK_NB);
    }
    kernel_close(place_directory);
    return descriptor;
}
