/*
 * The local door (see/door.h) and its connections (see/link.h), for lib/viv_see.erl. A connection is a magic reference;
 * its descriptor is closed when nobody has that any more.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "base/leave.h"
#include "bif/argument.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "process/fd_wait.h"
#include "sched/os_signals.h"
#include "see/door.h"
#include "see/folder.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/text.h"
#include "terminal/mode.h"

#define READ_MOST 65536

static bool link_destroy(RefcBinary *binary) {
    see_link_release((SeeLink *)binary->bytes);
    return true;
}

static SeeLink *link_of(Term t) { return native_object(t, link_destroy); }

static Term link_make(Process *p, SeeLink made) {
    void *object;
    Term reference = native_new(p, sizeof made, link_destroy, &object);
    *(SeeLink *)object = made;
    return native_ok(p, reference);
}

/* admit(Knock) -> {ok, Link} | {error, Reason} | later: no descriptor is to be had. Once for each, but for `later`. */
Term viv_see_admit_1(Process *p, const Term *a) {
    SeeKnock *knock = native_object(a[0], see_knock_destroy);
    SeeLink made;
    if (knock == NULL || knock->is_answered)
        return fail_badarg(p);
    int error = see_door_admit(&made);
    if (error == EMFILE || error == ENFILE)
        return am_later;
    knock->is_answered = true;
    return error == 0 ? link_make(p, made) : native_posix(p, error);
}

/* connect(Path) -> {ok, Link} | {error, Reason} */
Term viv_see_connect_1(Process *p, const Term *a) {
    TEXT(path);
    SeeLink made;
    if (!is_bitstring(a[0]) || !text_from_binary(&path, a[0]) || strlen(text_cstring(&path)) != path.size)
        return fail_badarg(p);
    int error = see_link_connect(&made, text_cstring(&path));
    return error == 0 ? link_make(p, made) : native_posix(p, error);
}

/* later: there is nothing to be read now. */
static Term read_now(Process *p, const SeeLink *link) {
    uint8_t *buffer = mem_alloc(ALLOC_TEMP, READ_MOST);
    ssize_t got = see_link_read(link, buffer, READ_MOST);
    int error = errno;
    Term result = got > 0    ? native_ok(p, binary_from_bytes(process_area(p), buffer, (size_t)got))
                  : got == 0 ? am_eof
                             : am_later;
    mem_free(ALLOC_TEMP, buffer);
    return got >= 0 || error == EAGAIN ? result : native_posix(p, error);
}

/* read(Link) -> {ok, Binary} | eof | {error, Reason} | later. Waits until there is something; later: there is nothing,
 * and no descriptor is to be had, which waiting takes. */
Term viv_see_read_1(Process *p, const Term *a) {
    const SeeLink *link = link_of(a[0]);
    if (link == NULL)
        return fail_badarg(p);
    return fd_wait_readable(p, link->fd) ? read_now(p, link) : NON_VALUE;
}

/* write(Link, Binary) -> {ok, BytesTaken} | {error, Reason}. Does not wait: none may be taken. */
Term viv_see_write_2(Process *p, const Term *a) {
    const SeeLink *link = link_of(a[0]);
    if (link == NULL || !is_binary(a[1]))
        return fail_badarg(p);
    size_t count;
    uint8_t *copy;
    const uint8_t *bytes = binary_bytes(a[1], &count, &copy);
    ssize_t sent = see_link_write(link, bytes, count);
    int error = errno;
    mem_free(ALLOC_TEMP, copy);
    if (sent < 0 && error != EAGAIN)
        return native_posix(p, error);
    return native_ok(p, small_make(sent < 0 ? 0 : (SWord)sent));
}

/* Both sides see the end; what was written before is read. */
Term viv_see_end_link_1(Process *p, const Term *a) {
    const SeeLink *link = link_of(a[0]);
    if (link == NULL)
        return fail_badarg(p);
    see_link_end(link);
    return am_ok;
}

static Term name_term(Process *p, const char *name) {
    return binary_from_bytes(process_area(p), (const uint8_t *)name, strlen(name));
}

/* The name of this node's socket, or undefined. */
Term viv_see_door_0(Process *p, const Term *a) {
    const char *name = see_door_name();
    return name == NULL ? am_undefined : name_term(p, name);
}

/* Where sockets of this user may be. */
Term viv_see_folders_0(Process *p, const Term *a) {
    Term list = NIL;
    char name[SEE_PATH_ROOM];
    for (int which = FOLDERS; which-- > 0;)
        if (see_folder_name((SeeFolder)which, name))
            list = area_cons(process_area(p), name_term(p, name), list);
    return list;
}

/* --- ^C, for the commands that see -------------------------------------------------------------------------------- */

static int interrupts = -1; /* an eventfd, set once, before the signal is taken */

/* On the thread of signals. Who presses it once more does not want to wait. */
static void interrupted(void) {
    static bool is_second;
    static const uint64_t one = 1;
    if (is_second || write(interrupts, &one, sizeof one) < 0)
        runtime_leave(128 + SIGINT);
    is_second = true;
}

/* interrupts() -> Fd: ready to be read (viv_io:wait/1) once SIGINT has come; it no longer ends the program, the second
 * does. By one process, once; false: there is no descriptor, and all is as before. */
Term viv_see_interrupts_0(Process *p, const Term *a) {
    interrupts = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (interrupts < 0)
        return am_false;
    os_signal_call(SIGINT, interrupted);
    return small_make(interrupts);
}

/* terminal() -> {Rows, Columns} of standard output, or false: it is none */
Term viv_see_terminal_0(Process *p, const Term *a) {
    unsigned columns, rows;
    if (!terminal_size(&columns, &rows))
        return am_false;
    return area_tuple2(process_area(p), small_make((SWord)rows), small_make((SWord)columns));
}
