/* A preload library that makes chosen writes or syncs of the store fail; test_losses.py builds and
 * loads it. It also counts truncations as writes. Environment variables:
 *
 * FAULT_COUNTS  a file with two 64-bit numbers, which are shared by all processes: how many writes
 *               and how many syncs of the store there were so far; without it nothing is counted
 * FAULT_KIND    "write" or "sync"; without it nothing fails
 * FAULT_FIRST   the number of the first operation of that kind that fails, counted from 1
 * FAULT_LAST    the number of the last one that fails
 * FAULT_ERROR   the errno to fail with
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum kind { WRITE, SYNC };

static _Atomic uint64_t *counts;
static int failing = -1;
static uint64_t first, last;
static int error;

static uint64_t number(const char *name) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULT_COUNTS"), *kind = getenv("FAULT_KIND");
    int file = path ? open(path, O_RDWR) : -1;
    if (file < 0) return;
    void *shared = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED) return;
    first = number("FAULT_FIRST");
    last = number("FAULT_LAST");
    error = (int)number("FAULT_ERROR");
    if (kind) failing = strcmp(kind, "sync") == 0 ? SYNC : WRITE;
    counts = shared;
}

/* Whether a file descriptor is the store or its write-ahead log. Other files are left alone. */
static int of_the_store(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return strstr(path, "lorewell.sqlite") != NULL;
}

static int fails(enum kind kind, int file) {
    if (!counts || !of_the_store(file)) return 0;
    uint64_t now = atomic_fetch_add(&counts[kind], 1) + 1;
    if ((int)kind != failing || now < first || now > last) return 0;
    errno = error;
    return 1;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *bytes, size_t length) {
    REAL(ssize_t, write, int, const void *, size_t);
    return fails(WRITE, file) ? -1 : real(file, bytes, length);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
    REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
    return fails(WRITE, file) ? -1 : real(file, bytes, length, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
    REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
    return fails(WRITE, file) ? -1 : real(file, bytes, length, at);
}

int ftruncate(int file, off_t length) {
    REAL(int, ftruncate, int, off_t);
    return fails(WRITE, file) ? -1 : real(file, length);
}

int ftruncate64(int file, off64_t length) {
    REAL(int, ftruncate64, int, off64_t);
    return fails(WRITE, file) ? -1 : real(file, length);
}

int fsync(int file) {
    REAL(int, fsync, int);
    return fails(SYNC, file) ? -1 : real(file);
}

int fdatasync(int file) {
    REAL(int, fdatasync, int);
    return fails(SYNC, file) ? -1 : real(file);
}
