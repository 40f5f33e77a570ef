#include "jit/perf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "term/atom.h"
#include "term/text.h"

typedef struct {
    int fd; /* -1: there is none */
    _Atomic(uint64_t) length; /* what somebody has taken so far */
} File;
static File map_file = {.fd = -1}, dump_file = {.fd = -1};
static _Atomic(uint64_t) pieces; /* of the dump: each has a number */

/* --- files ------------------------------------------------------------------------------------------------------- */

static void complain(const char *path) { fprintf(stderr, "viv: +JPperf: %s: %s\n", path, strerror(errno)); }

/* The place is known to all: what is there of an earlier process of the number goes, nothing is written through it. */
static bool open_file(File *file, char *path, size_t size, const char *format) {
    snprintf(path, size, format, (int)getpid());
    unlink(path);
    file->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file->fd < 0)
        complain(path);
    return file->fd >= 0;
}

static void write_at(const File *file, const char *bytes, size_t size, uint64_t at) {
    while (size > 0) {
        ssize_t done = pwrite(file->fd, bytes, size, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return; /* the disk is full: perf knows less */
        bytes += done;
        size -= (size_t)done;
        at += (uint64_t)done;
    }
}

static uint64_t append(File *file, const Text *t) {
    uint64_t at = atomic_fetch_add_explicit(&file->length, t->size, memory_order_relaxed);
    write_at(file, t->bytes, t->size, at);
    return at;
}

/* --- the map ----------------------------------------------------------------------------------------------------- */

bool perf_map_start(void) {
    char path[64];
    return open_file(&map_file, path, sizeof path, "/tmp/perf-%d.map");
}

PerfLines perf_map_tell(const NativeRanges *r) {
    TEXT(lines);
    for (size_t i = 0; i < r->count; i++)
        text_format(&lines, "%#lx %lx $%s\n", (unsigned long)(uintptr_t)r->ranges[i].code,
                    (unsigned long)r->ranges[i].size, r->ranges[i].name);
    return (PerfLines){append(&map_file, &lines), lines.size};
}

void perf_map_forget(PerfLines lines) {
    char empty[512];
    memset(empty, '\n', sizeof empty);
    while (lines.size > 0) {
        size_t size = lines.size < sizeof empty ? lines.size : sizeof empty;
        write_at(&map_file, empty, size, lines.at);
        lines.at += size;
        lines.size -= size;
    }
}

/* --- the dump ---------------------------------------------------------------------------------------------------- */

enum { RECORD_LOAD = 0, RECORD_LINES = 2, DUMP_MAGIC = 0x4a695444, DUMP_VERSION = 1, MACHINE = 62 /* EM_X86_64 */ };

typedef struct {
    uint32_t magic, version, size, machine, padding, pid;
    uint64_t time, flags;
} DumpHeader;
typedef struct {
    uint32_t kind, size; /* of the whole record */
    uint64_t time;
} RecordHeader;
typedef struct {
    RecordHeader header;
    uint32_t pid, tid;
    uint64_t address, code_address, code_size, number;
} LoadRecord; /* the name with its NUL, and the code follow */
typedef struct {
    RecordHeader header;
    uint64_t code_address, count;
} LinesRecord;
typedef struct {
    uint64_t address;
    uint32_t line, column;
} LineEntry; /* the file's name follows, with its NUL */

/* The clock of `perf record -k mono`. */
static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool perf_dump_start(void) {
    char path[64];
    if (!open_file(&dump_file, path, sizeof path, "/tmp/jit-%d.dump"))
        return false;
    DumpHeader header = {DUMP_MAGIC, DUMP_VERSION, sizeof header, MACHINE, 0, (uint32_t)getpid(), now(), 0};
    atomic_store_explicit(&dump_file.length, sizeof header, memory_order_relaxed);
    write_at(&dump_file, (const char *)&header, sizeof header, 0);
    if (mmap(NULL, sizeof header, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump_file.fd, 0) != MAP_FAILED)
        return true;
    complain(path); /* perf would not find it */
    close(dump_file.fd);
    unlink(path);
    return false;
}

static void put_file_name(Text *t, const ModuleInstance *m, uint32_t file) {
    if (file > 0) {
        text_bytes(t, m->files[file - 1].bytes, m->files[file - 1].size);
    } else {
        const AtomName *name = atom_name(m->name);
        text_bytes(t, name->bytes, name->byte_count);
        text_string(t, ".erl");
    }
    text_byte(t, '\0');
}

/* The first instruction at or behind the word of a line, in the function. The layout has a place for what begins an
 * instruction alone; a line's word does, but for a header's, whose func_info is its third word. */
static uint64_t line_address(const NativeRanges *r, const NativeRange *range, uint32_t word) {
    if (word == range->first_word)
        return (uint64_t)(uintptr_t)range->code;
    return (uint64_t)((uintptr_t)r->instance->native.code.address + r->layout->at[word]);
}

static void put_lines(Text *t, const NativeRanges *r, const NativeRange *range, uint32_t *line) {
    const ModuleInstance *m = r->instance;
    LinesRecord record = {{RECORD_LINES, 0, now()}, (uint64_t)(uintptr_t)range->code, 0};
    size_t at = t->size;
    text_bytes(t, &record, sizeof record);
    while (*line < m->line_count && m->lines[*line].word < range->first_word)
        (*line)++;
    for (; *line < m->line_count && m->lines[*line].word < range->end_word; (*line)++) {
        const CodeLine *l = &m->lines[*line];
        LineEntry entry = {line_address(r, range, l->word), l->line, 0};
        if (l->line == 0)
            continue;
        text_bytes(t, &entry, sizeof entry);
        put_file_name(t, m, l->file);
        record.count++;
    }
    while (t->size % 8 != 0)
        text_byte(t, '\0');
    record.header.size = (uint32_t)(t->size - at);
    memcpy(t->bytes + at, &record, sizeof record);
    if (record.count == 0)
        t->size = at;
}

static void put_load(Text *t, const NativeRange *range) {
    size_t name = strlen(range->name) + 1;
    uint64_t address = (uint64_t)(uintptr_t)range->code;
    uint64_t number = atomic_fetch_add_explicit(&pieces, 1, memory_order_relaxed) + 1;
    LoadRecord record = {{RECORD_LOAD, (uint32_t)(sizeof record + name + range->size), now()},
                         (uint32_t)getpid(),
                         (uint32_t)gettid(),
                         address,
                         address,
                         range->size,
                         number};
    text_bytes(t, &record, sizeof record);
    text_bytes(t, range->name, name);
    text_bytes(t, range->code, range->size);
}

void perf_dump_tell(const NativeRanges *r) {
    TEXT(records);
    uint32_t line = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (r->ranges[i].end_word > 0)
            put_lines(&records, r, &r->ranges[i], &line);
        put_load(&records, &r->ranges[i]);
    }
    append(&dump_file, &records);
}
