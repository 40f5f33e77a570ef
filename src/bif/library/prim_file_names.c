/*
 * The natives of prim_file that work on names: whole files, attributes, links and directories.
 */
#include "alloc/pages.h"
#include "bif/library/file_name.h"
#include "bif/library/prim_file.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "sys/file.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"

#include <errno.h>
#include <unistd.h>

#define TAKE_NAME(variable, term)                                                                                      \
    FILE_NAME(variable, term);                                                                                         \
    if (!variable.text)                                                                                                \
    return native_badarg(p)

/* Files in /proc say that they are empty, others grow while they are read: the size is only where reading starts.
 * After an error *binary is NULL. */
#define READ_STEP 4096
static int read_all(int fd, RefcBinary **binary, size_t *used) {
    FileInfo info;
    int error = file_handle_info(fd, &info);
    size_t room = error || info.stat.st_size <= 0 ? READ_STEP : (size_t)info.stat.st_size + 1;
    *binary = refc_binary_try_create(room);
    *used = 0;
    error = *binary ? 0 : ENOMEM;
    if (*binary)
        pages_fetch_within((*binary)->bytes, room);
    for (size_t got = 1; !error && got > 0;) {
        if (*used == room) {
            room *= 2;
            RefcBinary *larger = refc_binary_try_resize(*binary, room);
            if (!larger) {
                error = ENOMEM;
                break;
            }
            *binary = larger;
        }
        error = file_read(fd, -1, (*binary)->bytes + *used, room - *used, &got);
        *used += got;
    }
    if (error && *binary) {
        refc_binary_release(*binary);
        *binary = NULL;
    }
    return error;
}

Term prim_file_read_file(Process *p, const Term *a) {
    TAKE_NAME(name, a[0]);
    int fd;
    int error = file_open(name.text, FILE_READ, &fd);
    if (error)
        return native_posix(p, error);
    RefcBinary *binary;
    size_t used;
    error = read_all(fd, &binary, &used);
    file_close(fd);
    if (error)
        return native_posix(p, error);
    if (used > HEAP_BITS_MAX_BYTES)
        return native_ok(p, binary_from_refc(process_area(p), refc_binary_resize(binary, used), used));
    Term result = native_ok(p, binary_from_bytes(process_area(p), binary->bytes, used));
    refc_binary_release(binary);
    return result;
}

Term prim_file_read_info(Process *p, const Term *a) {
    TAKE_NAME(name, a[0]);
    if (!is_small(a[1]))
        return native_badarg(p);
    FileInfo info;
    int error = file_info(name.text, a[1] != small_make(0), &info);
    return error ? native_posix(p, error) : prim_file_info_tuple(p, &info);
}

Term prim_file_set_permissions(Process *p, const Term *a) {
    TAKE_NAME(name, a[0]);
    if (!is_small(a[1]) || small_value(a[1]) < 0 || small_value(a[1]) > UINT32_MAX)
        return native_badarg(p);
    return native_posix(p, file_set_permissions(name.text, (uint32_t)small_value(a[1])));
}

Term prim_file_set_owner(Process *p, const Term *a) {
    TAKE_NAME(name, a[0]);
    for (unsigned i = 1; i <= 2; i++)
        if (!is_small(a[i]) || small_value(a[i]) < INT32_MIN || small_value(a[i]) > INT32_MAX)
            return native_badarg(p);
    return native_posix(p, file_set_owner(name.text, small_value(a[1]), small_value(a[2])));
}

Term prim_file_set_time(Process *p, const Term *a) {
    TAKE_NAME(name, a[0]);
    int64_t seconds[3]; /* access, modification, creation: the last cannot be set here */
    for (unsigned i = 0; i < 3; i++)
        if (!integer_to_int64(a[1 + i], &seconds[i]))
            return native_badarg(p);
    return native_posix(p, file_set_times(name.text, seconds[0], seconds[1]));
}

static Term text_result(Process *p, int error, const char *text, size_t bytes) {
    return error ? native_posix(p, error) : native_ok(p, binary_from_bytes(process_area(p), text, bytes));
}

Term prim_file_read_link(Process *p, const Term *a) {
    TAKE_NAME(name, a[0]);
    char text[FILE_NAME_ROOM];
    size_t bytes = 0;
    int error = file_read_link(name.text, text, &bytes);
    return text_result(p, error, text, bytes);
}

Term prim_file_get_cwd(Process *p, const Term *a) {
    char text[FILE_NAME_ROOM];
    size_t bytes = 0;
    int error = file_current_directory(text, &bytes);
    return text_result(p, error, text, bytes);
}

typedef struct {
    Area *area;
    Term list;
} Names;

static void add_name(const char *name, size_t bytes, void *data) {
    Names *names = data;
    names->list = area_cons(names->area, binary_from_bytes(names->area, name, bytes), names->list);
}

Term prim_file_list_dir(Process *p, const Term *a) {
    TAKE_NAME(name, a[0]);
    Names names = {process_area(p), NIL};
    int error = directory_list(name.text, add_name, &names);
    return error ? native_posix(p, error) : native_ok(p, names.list);
}

static Term on_name(Process *p, Term native, int (*act)(const char *)) {
    TAKE_NAME(name, native);
    return native_posix(p, act(name.text));
}

static Term on_names(Process *p, const Term *a, int (*act)(const char *, const char *)) {
    TAKE_NAME(first, a[0]);
    TAKE_NAME(second, a[1]);
    return native_posix(p, act(first.text, second.text));
}

static int hard_link(const char *existing, const char *new) { return link(existing, new) < 0 ? errno : 0; }
static int soft_link(const char *existing, const char *new) { return symlink(existing, new) < 0 ? errno : 0; }
static int change_directory(const char *path) { return chdir(path) < 0 ? errno : 0; }

Term prim_file_make_hard_link(Process *p, const Term *a) { return on_names(p, a, hard_link); }
Term prim_file_make_soft_link(Process *p, const Term *a) { return on_names(p, a, soft_link); }
Term prim_file_rename(Process *p, const Term *a) { return on_names(p, a, file_rename); }
Term prim_file_make_dir(Process *p, const Term *a) { return on_name(p, a[0], directory_make); }
Term prim_file_del_dir(Process *p, const Term *a) { return on_name(p, a[0], directory_delete); }
Term prim_file_del_file(Process *p, const Term *a) { return on_name(p, a[0], file_delete); }
Term prim_file_set_cwd(Process *p, const Term *a) { return on_name(p, a[0], change_directory); }

/* Drives and short names are another system's. */
Term prim_file_get_device_cwd(Process *p, const Term *a) { return native_posix(p, EOPNOTSUPP); }
Term prim_file_altname(Process *p, const Term *a) { return native_posix(p, EOPNOTSUPP); }
