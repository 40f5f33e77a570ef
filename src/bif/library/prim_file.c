/*
 * Open files: the natives of prim_file that work on a handle. Those that work on names are in prim_file_names.c.
 *
 * A handle is a magic reference to an OpenFile. Only the process that opened it may use it, so no two threads are
 * ever in one; it is closed when it is told to, when its owner ends (wherever references to it may be), or when the
 * last reference to it is gone. A closed handle answers einval. Who closes it in the middle of a call which uses the
 * file (an owner that ends, process/dirty_end.h, or a delayed close) leaves it to that call to close it: its descriptor
 * must not become another file's before. Source: file(3), prim_file's use, and OTP 25's answers.
 *
 * Open files stand in lists by owner, under `lock`. `fd` is read by the owner alone; it is set to -1, by whoever
 * closes, under the lock as well, so that only one does.
 */
#include "alloc/alloc.h"
#include "bif/library/file_name.h"
#include "bif/magic_object.h"
#include "bif/library/prim_file.h"
#include "bif_table.h"
#include "sys/file.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/float.h"
#include "term/integer.h"

#include <errno.h>
#include <fcntl.h>

typedef struct OpenFile {
    int fd; /* -1: closed */
    unsigned modes;
    Term owner;
    struct OpenFile *next; /* in the list of its owner */
    bool in_use, is_left;  /* under the lock: by a call, which is to close it; then it is in no list */
} OpenFile;

#define OWNER_BUCKETS 256
static Mutex lock = MUTEX_INITIALIZER(LOCK_OPEN_FILES);
static OpenFile *open_files[OWNER_BUCKETS];

static OpenFile **files_of(Term pid) { return &open_files[pid_data(pid) % OWNER_BUCKETS]; }

static void add(OpenFile *file) {
    mutex_lock(&lock);
    file->next = *files_of(file->owner);
    *files_of(file->owner) = file;
    mutex_unlock(&lock);
}

static void remove_locked(OpenFile *file) {
    OpenFile **place = files_of(file->owner);
    while (*place != file)
        place = &(*place)->next;
    *place = file->next;
}

/* The call that uses it will close it: false when that is known already. */
static bool leave_locked(OpenFile *file) {
    bool is_new = !file->is_left;
    if (is_new)
        remove_locked(file);
    file->is_left = true;
    return is_new;
}

/* Takes it out of its list; the descriptor is the caller's to close. -1: somebody else's. */
static int take_locked(OpenFile *file) {
    int fd = file->fd;
    file->fd = -1;
    if (fd >= 0 && !file->is_left)
        remove_locked(file);
    return fd;
}

static int take(OpenFile *file) {
    mutex_lock(&lock);
    int fd = take_locked(file);
    mutex_unlock(&lock);
    return fd;
}

static OpenFile *first_of_locked(Term owner) {
    OpenFile *file = *files_of(owner);
    while (file && file->owner != owner)
        file = file->next;
    return file;
}

/* By an owner that ends: the descriptor of one of its files that is to be closed now, or -1. */
static int give_up_one(Term owner) {
    int fd = -1;
    mutex_lock(&lock);
    for (OpenFile *file; fd < 0 && (file = first_of_locked(owner)) != NULL;) {
        if (file->in_use)
            leave_locked(file);
        else
            fd = take_locked(file);
    }
    mutex_unlock(&lock);
    return fd;
}

bool prim_file_process_exit(Process *p, int64_t *reductions) {
    for (int fd; (fd = give_up_one(p->pid)) >= 0; *reductions -= 100)
        file_close(fd);
    return true;
}

static bool open_file_destroy(RefcBinary *binary) {
    int fd = take((OpenFile *)binary->bytes);
    if (fd >= 0)
        file_close(fd);
    return true;
}

static void set_in_use(OpenFile *file, bool in_use) {
    mutex_lock(&lock);
    file->in_use = in_use;
    int fd = !in_use && file->is_left ? take_locked(file) : -1;
    mutex_unlock(&lock);
    if (fd >= 0)
        file_close(fd);
}

/* In use until end_use. */
static OpenFile *handle(Process *p, Term t) {
    OpenFile *file = native_object(t, open_file_destroy);
    if (!file || file->owner != p->pid)
        return NULL;
    set_in_use(file, true);
    return file;
}

static void end_use(OpenFile *const *file) {
    if (*file)
        set_in_use(*file, false);
}

static Term new_handle(Process *p, int fd, unsigned modes) {
    void *object;
    Term reference = native_new(p, sizeof(OpenFile), open_file_destroy, &object);
    *(OpenFile *)object = (OpenFile){.fd = fd, .modes = modes, .owner = p->pid};
    add(object);
    return native_ok(p, reference);
}

static unsigned mode_of(Term mode) {
    static const struct {
        Term name;
        unsigned mode;
    } table[] = {
        {am_read, FILE_READ},
        {am_write, FILE_WRITE},
        {am_append, FILE_APPEND | FILE_WRITE},
        {am_exclusive, FILE_EXCLUSIVE | FILE_WRITE},
        {am_sync, FILE_SYNC},
        {am_directory, FILE_DIRECTORY},
        {am_skip_type_check, FILE_ANY_TYPE},
    };
    for (size_t i = 0; i < array_length(table); i++)
        if (table[i].name == mode)
            return table[i].mode;
    return 0; /* the other modes mean something to higher layers */
}

Term prim_file_open(Process *p, const Term *a) {
    FILE_NAME(name, a[0]);
    if (!name.text || (!is_list(a[1]) && !is_nil(a[1])))
        return native_badarg(p);
    unsigned modes = 0;
    for (Term l = a[1]; is_list(l); l = list_tail(l))
        modes |= mode_of(list_head(l));
    if (!(modes & FILE_WRITE))
        modes |= FILE_READ;
    int fd;
    int error = file_open(name.text, modes, &fd);
    return error ? native_posix(p, error) : new_handle(p, fd, modes);
}

Term prim_file_from_descriptor(Process *p, const Term *a) {
    if (!is_small(a[0]) || small_value(a[0]) < INT32_MIN || small_value(a[0]) > INT32_MAX)
        return native_badarg(p);
    int fd = (int)small_value(a[0]);
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return native_posix(p, errno);
    int access = flags & O_ACCMODE;
    unsigned modes = (access != O_WRONLY ? FILE_READ : 0) | (access != O_RDONLY ? FILE_WRITE : 0);
    return new_handle(p, fd, modes);
}

/* What every native on a handle begins with. */
#define TAKE_HANDLE(file, term)                                                                                        \
    OpenFile *const file __attribute__((cleanup(end_use))) = handle(p, term);                                          \
    if (!file)                                                                                                         \
        return native_badarg(p);                                                                                       \
    if (file->fd < 0)                                                                                                  \
    return native_posix(p, EINVAL)

Term prim_file_close(Process *p, const Term *a) {
    TAKE_HANDLE(file, a[0]);
    return native_posix(p, file_close(take(file)));
}

/* By the process that cleans up after dead owners: it owns none of the files it closes. */
Term prim_file_delayed_close(Process *p, const Term *a) {
    OpenFile *file = native_object(a[0], open_file_destroy);
    if (!file)
        return native_badarg(p);
    mutex_lock(&lock);
    bool is_left = file->in_use && file->fd >= 0 && leave_locked(file);
    int fd = file->in_use ? -1 : take_locked(file);
    mutex_unlock(&lock);
    if (is_left)
        return am_ok;
    return native_posix(p, fd < 0 ? EINVAL : file_close(fd));
}

static Term refused(Process *p, Term t) { return is_number(t) ? native_posix(p, EINVAL) : native_badarg(p); }

/* Places and counts of bytes, from 0 on. False: *answer says what it is instead. */
static bool takes(Process *p, Term t, int64_t *number, Term *answer) {
    if (integer_to_int64(t, number) && *number >= 0)
        return true;
    *answer = refused(p, t);
    return false;
}
static bool takes_two(Process *p, const Term *two, int64_t *first, int64_t *second, Term *answer) {
    if (is_number(two[0]) && is_number(two[1]))
        return takes(p, two[0], first, answer) && takes(p, two[1], second, answer);
    *answer = native_badarg(p);
    return false;
}

/* Reads into a binary of its own; short reads are cut to what came. */
static Term read_bytes(Process *p, OpenFile *file, int64_t offset, size_t size) {
    RefcBinary *binary = NULL;
    uint8_t small[HEAP_BITS_MAX_BYTES];
    if (size > sizeof small)
        binary = refc_binary_try_create(size);
    if (size > sizeof small && !binary)
        return native_posix(p, ENOMEM);
    size_t got;
    int error =
        file->modes & FILE_DIRECTORY ? EISDIR : file_read(file->fd, offset, binary ? binary->bytes : small, size, &got);
    Term data = NON_VALUE;
    if (!error && (got > 0 || (size == 0 && offset < 0))) {
        if (!binary || got <= sizeof small)
            data = binary_from_bytes(process_area(p), binary ? binary->bytes : small, got);
        else {
            if (got < size)
                binary = refc_binary_resize(binary, got);
            data = binary_from_refc(process_area(p), binary, got);
            binary = NULL;
        }
    }
    if (binary)
        refc_binary_release(binary);
    if (error)
        return native_posix(p, error);
    return is_value(data) ? native_ok(p, data) : am_eof;
}

Term prim_file_read(Process *p, const Term *a) {
    TAKE_HANDLE(file, a[0]);
    int64_t size;
    Term answer;
    return takes(p, a[1], &size, &answer) ? read_bytes(p, file, -1, (size_t)size) : answer;
}

Term prim_file_pread(Process *p, const Term *a) {
    TAKE_HANDLE(file, a[0]);
    int64_t offset, size;
    Term answer;
    return takes_two(p, a + 1, &offset, &size, &answer) ? read_bytes(p, file, offset, (size_t)size) : answer;
}

static Term write_vector(Process *p, OpenFile *file, int64_t offset, Term list) {
    size_t count = 0;
    for (Term l = list; is_list(l); l = list_tail(l), count++)
        if (!is_binary(list_head(l)))
            return native_badarg(p);
    struct iovec *vector = mem_alloc(ALLOC_TEMP, (count + 1) * sizeof *vector);
    uint8_t **copies = mem_alloc(ALLOC_TEMP, (count + 1) * sizeof *copies);
    size_t i = 0;
    for (Term l = list; is_list(l); l = list_tail(l), i++)
        vector[i].iov_base = (void *)binary_bytes(list_head(l), &vector[i].iov_len, &copies[i]);
    int error = file_write(file->fd, offset, vector, count);
    for (i = 0; i < count; i++)
        mem_free(ALLOC_TEMP, copies[i]);
    mem_free(ALLOC_TEMP, copies);
    mem_free(ALLOC_TEMP, vector);
    return native_posix(p, error);
}

Term prim_file_write(Process *p, const Term *a) {
    TAKE_HANDLE(file, a[0]);
    if (!is_list(a[1]) && !is_nil(a[1]))
        return native_badarg(p);
    return write_vector(p, file, -1, a[1]);
}

Term prim_file_pwrite(Process *p, const Term *a) {
    TAKE_HANDLE(file, a[0]);
    int64_t offset;
    Term answer;
    if (!is_list(a[2]) && !is_nil(a[2]))
        return native_badarg(p);
    return takes(p, a[1], &offset, &answer) ? write_vector(p, file, offset, a[2]) : answer;
}

Term prim_file_seek(Process *p, const Term *a) {
    TAKE_HANDLE(file, a[0]);
    int64_t offset, position;
    SeekFrom from;
    switch (a[1]) {
    case am_bof: from = SEEK_FROM_START; break;
    case am_cur: from = SEEK_FROM_CURRENT; break;
    case am_eof: from = SEEK_FROM_END; break;
    default: return native_badarg(p);
    }
    if (!integer_to_int64(a[2], &offset))
        return native_badarg(p);
    int error = from == SEEK_FROM_START && offset < 0 ? EINVAL : file_seek(file->fd, from, offset, &position);
    return error ? native_posix(p, error) : native_ok(p, integer_from_int64(process_area(p), position));
}

Term prim_file_sync(Process *p, const Term *a) {
    TAKE_HANDLE(file, a[0]);
    if (!is_small(a[1]))
        return native_badarg(p);
    return native_posix(p, file_sync(file->fd, a[1] != small_make(0)));
}

Term prim_file_truncate(Process *p, const Term *a) {
    TAKE_HANDLE(file, a[0]);
    if (!(file->modes & FILE_WRITE))
        return native_posix(p, EINVAL);
    return native_posix(p, file_truncate_here(file->fd));
}

Term prim_file_allocate(Process *p, const Term *a) {
    TAKE_HANDLE(file, a[0]);
    int64_t offset, length;
    Term answer;
    if (!takes_two(p, a + 1, &offset, &length, &answer))
        return answer;
    return native_posix(p, file_allocate(file->fd, offset, length));
}

Term prim_file_advise(Process *p, const Term *a) {
    TAKE_HANDLE(file, a[0]);
    int64_t offset, length;
    Term answer;
    if (!takes_two(p, a + 1, &offset, &length, &answer))
        return answer;
    int advice;
    switch (a[3]) {
    case am_normal: advice = POSIX_FADV_NORMAL; break;
    case am_random: advice = POSIX_FADV_RANDOM; break;
    case am_sequential: advice = POSIX_FADV_SEQUENTIAL; break;
    case am_will_need: advice = POSIX_FADV_WILLNEED; break;
    case am_dont_need: advice = POSIX_FADV_DONTNEED; break;
    case am_no_reuse: advice = POSIX_FADV_NOREUSE; break;
    default: return native_posix(p, EINVAL);
    }
    return native_posix(p, file_advise(file->fd, offset, length, advice));
}

Term prim_file_get_handle(Process *p, const Term *a) {
    TAKE_HANDLE(file, a[0]);
    return binary_from_bytes(process_area(p), &file->fd, sizeof file->fd);
}

int prim_file_duplicate(Process *p, Term t) {
    if (native_object(t, open_file_destroy) == NULL)
        return -2;
    OpenFile *file = handle(p, t);
    int fd = file != NULL ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0) : -1;
    end_use(&file);
    return fd;
}

/* DETS: a size and a pointer, both 32 bits, stand at Offset; then the bytes that they describe. */
Term prim_file_ipread(Process *p, const Term *a) {
    TAKE_HANDLE(file, a[0]);
    int64_t offset, most;
    Term answer;
    if (!takes(p, a[1], &offset, &answer))
        return answer;
    if (!integer_to_int64(a[2], &most) || most > INT32_MAX)
        return refused(p, a[2]);
    uint8_t head[8];
    size_t got;
    int error = file_read(file->fd, offset, head, sizeof head, &got);
    if (error)
        return native_posix(p, error);
    uint32_t size = (uint32_t)bits_get(head, 0, 32), pointer = (uint32_t)bits_get(head, 32, 32);
    if (got < sizeof head || (int64_t)size > most)
        return am_eof;
    Term data = am_eof;
    if (size > 0) {
        data = read_bytes(p, file, pointer, size);
        if (is_boxed(data) && tuple_elements(data)[0] == am_error)
            return data;
        if (data != am_eof)
            data = tuple_elements(data)[1];
    }
    Area *area = process_area(p);
    return native_ok(p, area_tuple3(area, small_make(size), small_make(pointer), data));
}

static Term file_type(mode_t mode) {
    switch (mode & S_IFMT) {
    case S_IFREG: return am_regular;
    case S_IFDIR: return am_directory;
    case S_IFLNK: return am_symlink;
    case S_IFCHR:
    case S_IFBLK: return am_device;
    default: return am_other;
    }
}

/* #file_info{}, with times in seconds. */
Term prim_file_info_tuple(Process *p, const FileInfo *info) {
    Area *area = process_area(p);
    const struct stat *st = &info->stat;
    Term access = info->readable ? (info->writable ? am_read_write : am_read) : info->writable ? am_write : am_none;
    Term fields[] = {
        am_file_info,
        integer_from_int64(area, st->st_size),
        file_type(st->st_mode),
        access,
        integer_from_int64(area, st->st_atim.tv_sec),
        integer_from_int64(area, st->st_mtim.tv_sec),
        integer_from_int64(area, st->st_ctim.tv_sec),
        small_make(st->st_mode),
        integer_from_uint64(area, st->st_nlink),
        integer_from_uint64(area, st->st_dev),
        integer_from_uint64(area, st->st_rdev),
        integer_from_uint64(area, st->st_ino),
        small_make(st->st_uid),
        small_make(st->st_gid),
    };
    Term *tuple = area_alloc(area, 1 + array_length(fields));
    tuple[0] = header_make(KIND_TUPLE, array_length(fields));
    memcpy(tuple + 1, fields, sizeof fields);
    return boxed_make(tuple);
}

Term prim_file_read_handle_info(Process *p, const Term *a) {
    TAKE_HANDLE(file, a[0]);
    FileInfo info;
    int error = file_handle_info(file->fd, &info);
    return error ? native_posix(p, error) : prim_file_info_tuple(p, &info);
}
