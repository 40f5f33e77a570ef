#include "port/ram_file_driver.h"

#include <string.h>

#include "alloc/alloc.h"

enum { OPEN = 1, READ, SEEK, WRITE, SYNC = 9, TRUNCATE = 14, READ_AT = 17, WRITE_AT, SYNC_DATA };
enum { GET = 30, SIZE = 37, ADVISE, ALLOCATE };
enum { ANSWER_OK, ANSWER_ERROR, ANSWER_DATA, ANSWER_NUMBER };
enum { FROM_START, FROM_HERE, FROM_END };
enum { MAY_READ = 1, MAY_WRITE = 2 };

#define NUMBER_BYTES 4
#define ERROR_NAME_MAX 6
#define LARGEST UINT32_MAX /* what an answer can tell */

typedef struct {
    ErlDrvPort port;
    uint8_t *bytes;
    size_t size, room;
    size_t position; /* may be behind the end */
    uint32_t modes;  /* 0: not opened yet */
} RamFile;

/* What is left of a command. */
typedef struct {
    const uint8_t *bytes;
    size_t count;
} Command;

/* --- answers ------------------------------------------------------------------------------------------------------ */

static void put_number(char *to, uint32_t n) {
    for (int i = NUMBER_BYTES - 1; i >= 0; i--, n >>= 8)
        to[i] = (char)n;
}

/* As a list, as the head of data is. */
static void answer(RamFile *f, char *bytes, size_t count) { (void)driver_output2(f->port, bytes, count, NULL, 0); }

static void answer_ok(RamFile *f) { answer(f, (char[]){ANSWER_OK}, 1); }

static void answer_error(RamFile *f, const char *name) {
    char text[1 + ERROR_NAME_MAX] = {ANSWER_ERROR};
    size_t length = strlen(name);
    memcpy(text + 1, name, length);
    answer(f, text, 1 + length);
}

static void answer_number(RamFile *f, size_t n) {
    char number[1 + NUMBER_BYTES] = {ANSWER_NUMBER};
    put_number(number + 1, (uint32_t)n);
    answer(f, number, sizeof number);
}

static void answer_data(RamFile *f, size_t from, size_t count) {
    char head[1 + NUMBER_BYTES] = {ANSWER_DATA};
    ErlDrvBinary *data = driver_alloc_binary(count);
    if (data == NULL) {
        answer_error(f, "enomem");
        return;
    }
    if (count > 0)
        memcpy(data->orig_bytes, f->bytes + from, count);
    put_number(head + 1, (uint32_t)count);
    (void)driver_output_binary(f->port, head, sizeof head, data, 0, count);
    driver_free_binary(data);
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

static bool take_number(Command *c, int32_t *number) {
    if (c->count < NUMBER_BYTES)
        return false;
    uint32_t n = 0;
    for (int i = 0; i < NUMBER_BYTES; i++)
        n = n << 8 | c->bytes[i];
    *number = (int32_t)n;
    c->bytes += NUMBER_BYTES;
    c->count -= NUMBER_BYTES;
    return true;
}

/* False: it was answered with an error. */
static bool take_count(RamFile *f, Command *c, size_t *count) {
    int32_t number;
    if (!take_number(c, &number) || number < 0) {
        answer_error(f, "einval");
        return false;
    }
    *count = (size_t)number;
    return true;
}

static bool is_open_for(RamFile *f, uint32_t mode) {
    if (f->modes & mode)
        return true;
    answer_error(f, "ebadf");
    return false;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* Room for so many bytes; what it has is half again as much, so that a file that grows is not copied each time. */
static bool make_room(RamFile *f, size_t wanted) {
    if (wanted <= f->room)
        return true;
    size_t room = wanted + wanted / 2;
    uint8_t *bytes = mem_try_realloc(ALLOC_PORT, f->bytes, room);
    if (bytes == NULL)
        bytes = mem_try_realloc(ALLOC_PORT, f->bytes, room = wanted);
    if (bytes == NULL)
        return false;
    f->bytes = bytes;
    f->room = room;
    return true;
}

/* False: it was answered with an error. What lies between the old end and the new one is zero. */
static bool extend(RamFile *f, size_t size) {
    if (size <= f->size)
        return true;
    if (size > LARGEST || !make_room(f, size)) {
        answer_error(f, size > LARGEST ? "efbig" : "enomem");
        return false;
    }
    memset(f->bytes + f->size, 0, size - f->size);
    f->size = size;
    return true;
}

static bool put(RamFile *f, size_t at, Command c) {
    if (!extend(f, at + c.count))
        return false;
    if (c.count > 0)
        memcpy(f->bytes + at, c.bytes, c.count);
    return true;
}

/* How much of what is wanted is there. */
static size_t available(const RamFile *f, size_t at, size_t wanted) {
    size_t there = at < f->size ? f->size - at : 0;
    return wanted < there ? wanted : there;
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

static void open_file(RamFile *f, Command c) {
    int32_t modes;
    if (!take_number(&c, &modes)) {
        answer_error(f, "einval");
        return;
    }
    f->size = f->position = 0;
    f->modes = (uint32_t)modes & (MAY_READ | MAY_WRITE);
    if (put(f, 0, c))
        answer_number(f, 0);
}

static void read_here(RamFile *f, Command c) {
    size_t count;
    if (!is_open_for(f, MAY_READ) || !take_count(f, &c, &count))
        return;
    count = available(f, f->position, count);
    answer_data(f, f->position, count);
    f->position += count;
}

static void read_at(RamFile *f, Command c) {
    size_t at, count;
    if (take_count(f, &c, &at) && is_open_for(f, MAY_READ) && take_count(f, &c, &count))
        answer_data(f, at, available(f, at, count));
}

static void write_here(RamFile *f, Command c) {
    if (!is_open_for(f, MAY_WRITE) || !put(f, f->position, c))
        return;
    f->position += c.count;
    answer_number(f, c.count);
}

static void write_at(RamFile *f, Command c) {
    size_t at;
    if (take_count(f, &c, &at) && is_open_for(f, MAY_WRITE) && put(f, at, c))
        answer_number(f, c.count);
}

static bool start_of(const RamFile *f, int32_t whence, int64_t *start) {
    *start = whence == FROM_HERE ? (int64_t)f->position : whence == FROM_END ? (int64_t)f->size : 0;
    return whence >= FROM_START && whence <= FROM_END;
}

static void seek(RamFile *f, Command c) {
    int32_t offset, whence;
    int64_t start;
    if (!is_open_for(f, MAY_READ | MAY_WRITE))
        return;
    bool good = take_number(&c, &offset) && take_number(&c, &whence) && start_of(f, whence, &start) &&
                start + offset >= 0 && start + offset <= LARGEST;
    if (!good) {
        answer_error(f, "einval");
        return;
    }
    f->position = (size_t)(start + offset);
    answer_number(f, f->position);
}

/* It ends where it is read and written now. */
static void truncate_here(RamFile *f) {
    if (!(f->modes & MAY_WRITE)) {
        answer_error(f, "eacces");
        return;
    }
    if (!extend(f, f->position))
        return;
    f->size = f->position;
    answer_ok(f);
}

/* Where memory needs no more than that. */
static void do_nothing(RamFile *f) {
    if (is_open_for(f, MAY_READ | MAY_WRITE))
        answer_ok(f);
}

static void do_command(RamFile *f, uint8_t what, Command c) {
    switch (what) {
    case OPEN: open_file(f, c); break;
    case READ: read_here(f, c); break;
    case READ_AT: read_at(f, c); break;
    case WRITE: write_here(f, c); break;
    case WRITE_AT: write_at(f, c); break;
    case SEEK: seek(f, c); break;
    case TRUNCATE: truncate_here(f); break;
    case GET: answer_data(f, 0, f->size); break;
    case SIZE: answer_number(f, f->size); break;
    case SYNC:
    case SYNC_DATA:
    case ADVISE:
    case ALLOCATE: do_nothing(f); break;
    default: break;
    }
}

static void output(ErlDrvData data, char *bytes, ErlDrvSizeT count) {
    const uint8_t *command = (const uint8_t *)bytes;
    if (count > 0)
        do_command((RamFile *)data, command[0], (Command){command + 1, count - 1});
}

static ErlDrvData start(ErlDrvPort port, char *command, SysDriverOpts *unused) {
    RamFile *f = mem_calloc(ALLOC_PORT, sizeof *f);
    f->port = port;
    return (ErlDrvData)f;
}

static void stop(ErlDrvData data) {
    RamFile *f = (RamFile *)data;
    mem_free(ALLOC_PORT, f->bytes);
    mem_free(ALLOC_PORT, f);
}

const ErlDrvEntry ram_file_driver = {.driver_name = (char *)"ram_file_drv",
                                     .start = start,
                                     .stop = stop,
                                     .output = output,
                                     .extended_marker = ERL_DRV_EXTENDED_MARKER,
                                     .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                                     .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
                                     .driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING};
