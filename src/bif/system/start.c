/*
 * What the start-up modules in lib/ need from the system and cannot have from libraries that they are about to load:
 * reading files of code, and standard input and output. On dirty I/O threads, as they may block.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "code/export.h"
#include "term/fun.h"
#include "loader/own_modules.h"
#include "loader/stock_modules.h"
#include "process/fd_wait.h"
#include "sys/file.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/print.h"

/* Those that are part of the program, and those that are part of the stock runtime: whoever asks wants to know which
 * are not to be looked for in files. */
Term erlang_pre_loaded_0(Process *p, const Term *a) {
    Term list = NIL;
    for (size_t i = stock_module_count; i-- > 0;)
        list = area_cons(process_area(p), atom_from_cstring(stock_modules[i]), list);
    for (uint32_t i = lib_beam_count; i-- > 0;)
        if (own_module_was_first(&lib_beams[i]))
            list = area_cons(process_area(p), atom_from_cstring(lib_beams[i].name), list);
    return list;
}

static bool is_named(Term atom, const char *name) { return atom == atom_find((const uint8_t *)name, strlen(name)); }

/* held(Module) -> Code of one of the runtime's own modules, or none. */
Term viv_code_held_1(Process *p, const Term *a) {
    for (uint32_t i = 0; i < lib_beam_count; i++)
        if (is_named(a[0], lib_beams[i].name))
            return binary_from_bytes(process_area(p), lib_beams[i].bytes, lib_beams[i].size);
    return am_none;
}

/* held_file(Name) -> the bytes of one of its own files that are no modules, or none. */
Term viv_code_held_file_1(Process *p, const Term *a) {
    for (uint32_t i = 0; i < lib_file_count; i++)
        if (is_named(a[0], lib_files[i].name))
            return binary_from_bytes(process_area(p), lib_files[i].bytes, lib_files[i].size);
    return am_none;
}

/* A whole file as a binary; NON_VALUE when it cannot be read. */
static Term read_file(Process *p, const char *path) {
    int fd;
    struct stat info;
    uint8_t *data;
    if (file_open(path, FILE_READ, &fd) != 0)
        return NON_VALUE;
    Term binary = NON_VALUE;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        size_t size = (size_t)info.st_size, got = 0;
        binary = binary_make(process_area(p), size, &data);
        if (file_read(fd, -1, data, size, &got) != 0 || got != size)
            binary = NON_VALUE;
    }
    file_close(fd);
    return binary;
}

static bool append_path(Text *path, Term part) {
    if (is_bitstring(part))
        return text_from_binary(path, part);
    return native_from_characters(path, part);
}

/* read_first(Dirs, File) -> {ok, Path, Contents} of the first directory that has the file, or none. */
Term viv_code_read_first_2(Process *p, const Term *a) {
    for (Term dirs = a[0]; is_list(dirs); dirs = list_tail(dirs)) {
        TEXT(path);
        if (!append_path(&path, list_head(dirs)))
            return fail_badarg(p);
        text_byte(&path, '/');
        if (!append_path(&path, a[1]))
            return fail_badarg(p);
        Term contents = read_file(p, text_cstring(&path));
        if (!is_value(contents))
            continue;
        Area *area = process_area(p);
        Term name = list_from_native(area, path.bytes, path.size);
        return area_tuple3(area, am_ok, name, contents);
    }
    return am_none;
}

#define GZIP_WINDOW (16 + MAX_WBITS) /* a gzip header is expected */

/* The contents of a gzip file of one member, in a block of ALLOC_TEMP. NULL: it is none, or is damaged. */
static uint8_t *gunzip(const uint8_t *bytes, size_t size, size_t *unpacked) {
    z_stream z = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size};
    if (size > UINT32_MAX || inflateInit2(&z, GZIP_WINDOW) != Z_OK)
        return NULL;
    size_t room = 4 * size + 64;
    uint8_t *out = mem_alloc(ALLOC_TEMP, room);
    int code;
    for (;;) {
        z.next_out = out + z.total_out;
        z.avail_out = room - z.total_out < UINT32_MAX ? (uInt)(room - z.total_out) : UINT32_MAX;
        code = inflate(&z, Z_NO_FLUSH);
        if (code != Z_OK || z.avail_out != 0)
            break;
        if (room == z.total_out)
            out = mem_realloc(ALLOC_TEMP, out, room *= 2);
    }
    *unpacked = z.total_out;
    bool whole = code == Z_STREAM_END && z.avail_in == 0;
    inflateEnd(&z);
    if (whole)
        return out;
    mem_free(ALLOC_TEMP, out);
    return NULL;
}

/* unpacked(Code) -> what a compressed file of code holds, or Code when it is not compressed. The module zlib cannot be
 * asked: its file may be compressed too. */
Term viv_code_unpacked_1(Process *p, const Term *a) {
    if (!is_binary(a[0]))
        return fail_badarg(p);
    size_t packed_size, size;
    uint8_t *copy;
    const uint8_t *packed = binary_bytes(a[0], &packed_size, &copy);
    uint8_t *bytes = gunzip(packed, packed_size, &size);
    mem_free(ALLOC_TEMP, copy);
    if (bytes == NULL)
        return a[0];
    Term unpacked = binary_from_bytes(process_area(p), bytes, size);
    mem_free(ALLOC_TEMP, bytes);
    return unpacked;
}

typedef struct {
    char **names;
    size_t count, capacity;
} Names;

static void add_name(const char *name, size_t bytes, void *data) {
    Names *names = data;
    if (names->count == names->capacity) {
        names->capacity = names->capacity == 0 ? 64 : 2 * names->capacity;
        names->names = mem_realloc(ALLOC_TEMP, names->names, names->capacity * sizeof(char *));
    }
    char *copy = mem_alloc(ALLOC_TEMP, bytes + 1);
    memcpy(copy, name, bytes);
    copy[bytes] = '\0';
    names->names[names->count++] = copy;
}

static size_t application_length(const char *folder) {
    const char *dash = strchr(folder, '-');
    return dash == NULL ? strlen(folder) : (size_t)(dash - folder);
}

/* Where an application stands in the path: what is asked for most comes first. */
static int application_rank(const char *folder) {
    static const char *const first[] = {"stdlib", "kernel", "compiler", "erts"};
    for (int i = 0; i < (int)array_length(first); i++)
        if (application_length(folder) == strlen(first[i]) && strncmp(folder, first[i], strlen(first[i])) == 0)
            return i;
    return (int)array_length(first);
}

/* By application, its highest version first (digits compare as numbers). */
static int compare_folders(const void *x, const void *y) {
    const char *a = *(const char *const *)x, *b = *(const char *const *)y;
    if (application_rank(a) != application_rank(b))
        return application_rank(a) - application_rank(b);
    return -strverscmp(a, b);
}

static bool same_application(const char *a, const char *b) {
    size_t length = application_length(a);
    return length == application_length(b) && strncmp(a, b, length) == 0;
}

/* library_paths(Root) -> the ebin folders of the applications under Root/lib, one version of each. */
Term viv_code_library_paths_1(Process *p, const Term *a) {
    TEXT(root);
    Names names = {0};
    Area *area = process_area(p);
    if (!append_path(&root, a[0]))
        return fail_badarg(p);
    text_string(&root, "/lib/");
    directory_list(text_cstring(&root), add_name, &names);
    if (names.count > 0)
        qsort(names.names, names.count, sizeof(char *), compare_folders);
    Term list = NIL;
    for (size_t i = names.count; i-- > 0;) {
        if (i > 0 && same_application(names.names[i], names.names[i - 1]))
            continue;
        TEXT(path);
        text_bytes(&path, root.bytes, root.size);
        text_string(&path, names.names[i]);
        text_string(&path, "/ebin");
        if (access(text_cstring(&path), R_OK) == 0)
            list = area_cons(area, list_from_native(area, path.bytes, path.size), list);
    }
    for (size_t i = 0; i < names.count; i++)
        mem_free(ALLOC_TEMP, names.names[i]);
    mem_free(ALLOC_TEMP, names.names);
    return list;
}

/* Is there code behind a fun? */
Term viv_code_fun_is_loaded_1(Process *p, const Term *a) {
    if (is_local_fun(a[0]))
        return bool_term(__atomic_load_n(&fun_ptr(a[0])->entry->address, __ATOMIC_RELAXED) != fun_error_address);
    if (is_export_fun(a[0]))
        return bool_term(export_is_defined(((ExportFun *)boxed_ptr(a[0]))->export));
    return fail_badarg(p);
}

static bool wait_for(int fd, short events) {
    struct pollfd one = {.fd = fd, .events = events};
    return poll(&one, 1, -1) >= 0 || errno == EINTR;
}

/* write(Fd, Binary) -> {ok, BytesWritten} | {error, Reason} */
Term viv_io_write_2(Process *p, const Term *a) {
    NativeBytes data;
    if (!is_small_within(a[0], 0, 1 << 20) || !native_bytes(a[1], &data))
        return fail_badarg(p);
    int fd = (int)small_value(a[0]), error = 0;
    size_t done = 0;
    while (done < data.count && error == 0) {
        ssize_t n = write(fd, data.bytes + done, data.count - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno == EAGAIN ? !wait_for(fd, POLLOUT) : errno != EINTR)
            error = errno;
    }
    native_bytes_release(&data);
    return error != 0 ? native_posix(p, error) : native_ok(p, small_make((SWord)done));
}

/* wait(Fd) -> ok, when it can be read, or cannot be waited for. */
Term viv_io_wait_1(Process *p, const Term *a) {
    if (!is_small_within(a[0], 0, 1 << 20))
        return fail_badarg(p);
    return fd_wait_readable(p, (int)small_value(a[0])) ? am_ok : NON_VALUE;
}

/* read(Fd, AtMost) -> {ok, Binary} | eof | {error, Reason} */
Term viv_io_read_2(Process *p, const Term *a) {
    if (!is_small_within(a[0], 0, 1 << 20) || !is_small_within(a[1], 1, 1 << 24))
        return fail_badarg(p);
    int fd = (int)small_value(a[0]);
    size_t size = (size_t)small_value(a[1]);
    uint8_t *buffer = mem_alloc(ALLOC_TEMP, size);
    ssize_t n;
    do
        n = read(fd, buffer, size);
    while (n < 0 && (errno == EAGAIN ? wait_for(fd, POLLIN) : errno == EINTR));
    int error = errno;
    Term result = n > 0 ? native_ok(p, binary_from_bytes(process_area(p), buffer, (size_t)n)) : am_eof;
    mem_free(ALLOC_TEMP, buffer);
    return n < 0 ? native_posix(p, error) : result;
}

Term viv_io_format_term_1(Process *p, const Term *a) {
    TEXT(text);
    print_term(&text, a[0]);
    return binary_from_bytes(process_area(p), text.bytes, text.size);
}
