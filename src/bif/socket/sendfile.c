/*
 * sendfile: from a file of the caller's, on a dirty thread, since a file may be slow.
 *
 * While the system sends no lock is held: the caller is the current one of those who write, and others wait behind it.
 * It works on descriptors of its own; so the socket may be closed meanwhile. What it could not send it sends later,
 * from the same file, which the socket keeps until then (`file`); when the process dies first, gives up, or sends
 * something else, the registry closes that, or whoever sends a file next.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/race_window.h"
#include "bif/library/prim_file.h"
#include "bif/socket/native.h"
#include "bif_table.h"
#include "term/integer.h"

#define AT_ONCE 0x7ffff000 /* what the system sends at most in one go */

typedef struct {
    int to, from, left_over; /* the last one: what another sent from; -1: nothing */
    off_t offset;
    uint64_t left; /* 0: all there is */
    /* so far */
    uint64_t sent, calls, most_call;
    int error; /* EAGAIN: no more now */
} Sending;

/* False: *answer is what the function returns. */
static bool place_from(Process *p, Sending *g, Term reference, Term offset, Term count, Term *answer) {
    int64_t at;
    bool has_offset = is_integer(offset) && integer_to_int64(offset, &at);
    bool has_count = is_integer(count) && !integer_is_negative(count) && integer_to_uint64(count, &g->left);
    if (!is_ref(reference) || !is_integer(count))
        *answer = native_badarg(p);
    else if (!has_offset)
        *answer = socket_invalid(p, area_tuple2(process_area(p), am_integer_range, offset));
    else if (!has_count)
        *answer = socket_bad_number(p, count);
    else
        g->offset = at;
    return is_ref(reference) && has_offset && has_count;
}

/* True: there is more to send. */
static bool send_some(Sending *g, bool is_all) {
    size_t most = is_all || g->left > AT_ONCE ? AT_ONCE : g->left;
    ssize_t count = sendfile(g->to, g->from, &g->offset, most);
    g->calls++;
    if (count < 0) {
        g->error = errno;
        return errno == EINTR;
    }
    g->sent += (uint64_t)count;
    g->most_call = (uint64_t)count > g->most_call ? (uint64_t)count : g->most_call;
    g->left -= is_all ? 0 : (uint64_t)count;
    return count > 0 && (is_all || g->left > 0);
}

static void send_all(Sending *g) {
    bool is_all = g->left == 0;
    g->error = 0;
    while (send_some(g, is_all))
        g->error = 0;
}

static void close_both(Sending *g) {
    if (g->to >= 0)
        close(g->to);
    if (g->from >= 0)
        close(g->from);
    if (g->left_over >= 0)
        close(g->left_over);
}

/* --- Under the lock --- */

/* What goes at once is a package. */
static void count(Socket *s, const Sending *g) {
    FileCounts *c = &s->files;
    socket_count(s, &c->calls, g->calls, am_sendfile);
    socket_count(s, &c->bytes, g->sent, am_sendfile_byte);
    c->most_call = g->most_call > c->most_call ? g->most_call : c->most_call;
    if (g->sent > 0)
        socket_count(s, &c->packages, 1, am_sendfile_pkg);
    c->most = g->sent > c->most ? g->sent : c->most;
}

static bool is_current(const Process *p, const Socket *s) {
    return s->writers.first != NULL && s->writers.first->pid == p->pid;
}

static Term waits(Process *p, Socket *s, Sending *g, Term reference) {
    socket_count(s, &s->files.waits, 1, am_sendfile_waits);
    if (!socket_wait(s, &s->writers, SOCKET_TO_WRITE, p->pid, reference))
        return native_posix(p, ENOMEM);
    if (is_current(p, s)) { /* one that was killed meanwhile is not */
        s->file = g->from;
        s->file_sender = p->pid;
        g->from = -1;
    }
    return area_tuple2(process_area(p), am_select, integer_from_uint64(process_area(p), g->sent));
}

static Term is_over(Process *p, Socket *s, const Sending *g) {
    if (g->error != 0) {
        socket_count(s, &s->files.fails, 1, am_sendfile_fails);
        socket_fails(s, &s->writers, p->pid, socket_error_name(g->error));
        return native_posix(p, g->error);
    }
    socket_through(s, &s->writers, SOCKET_TO_WRITE, p->pid);
    return native_ok(p, integer_from_uint64(process_area(p), g->sent));
}

static Term end(Process *p, Socket *s, Sending *g, Term reference) {
    count(s, g);
    if (s->closing)
        return socket_failed(p, am_closed);
    return g->error == EAGAIN ? waits(p, s, g, reference) : is_over(p, s, g);
}

/* The file is taken out of the socket: nobody else closes it. */
static int take_file(Socket *s) {
    int file = s->file;
    s->file = -1;
    s->file_sender = NON_VALUE;
    return file;
}

static bool keeps_file(const Process *p, const Socket *s) { return s->file >= 0 && s->file_sender == p->pid; }

/* As socket_may_write; what another has left behind is the caller's to close. */
static bool may_begin(Process *p, Socket *s, Sending *g, Term reference, Term *answer) {
    if (!socket_may_write(p, s, reference, answer))
        return false;
    bool may = !keeps_file(p, s);
    if (may)
        g->left_over = take_file(s);
    else
        *answer = socket_refused(p, am_state);
    return may;
}

static bool may_go_on(Process *p, Socket *s, Sending *g, Term *answer) {
    bool may = !s->closing && keeps_file(p, s);
    if (may)
        g->from = take_file(s);
    else
        *answer = s->closing ? socket_failed(p, am_closed) : socket_raise_state(p);
    return may;
}

/* This failure is the caller's alone: the next one in the queue has its turn, and is not told. */
static Term no_descriptor(Process *p, Socket *s, int error) {
    socket_count(s, &s->files.fails, 1, am_sendfile_fails);
    socket_through(s, &s->writers, SOCKET_TO_WRITE, p->pid);
    return native_posix(p, error);
}

static bool begin(Process *p, Socket *s, Sending *g, Term reference, bool goes_on, Term *answer) {
    if (goes_on ? !may_go_on(p, s, g, answer) : !may_begin(p, s, g, reference, answer))
        return false;
    s->files.are_any = true;
    if (!goes_on)
        socket_count(s, &s->files.tries, 1, am_sendfile_tries);
    g->to = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
    if (g->to >= 0) {
        socket_hold(s, &s->writers, p->pid, reference);
        return true;
    }
    *answer = no_descriptor(p, s, errno);
    return false;
}

static Term run(Process *p, Socket *s, Sending *g, Term reference, bool goes_on) {
    Term result;
    mutex_lock(&s->write_lock);
    bool begun = begin(p, s, g, reference, goes_on, &result);
    mutex_unlock(&s->write_lock);
    if (begun) {
        send_all(g);
        race_window("a file was sent, as far as it went, by one who may have been killed");
        mutex_lock(&s->write_lock);
        result = end(p, s, g, reference);
        mutex_unlock(&s->write_lock);
    }
    close_both(g);
    return result;
}

static Term no_file(Process *p, Socket *s, bool is_closed) {
    mutex_lock(&s->write_lock);
    if (!s->closing) {
        s->files.are_any = true;
        socket_count(s, &s->files.fails, 1, am_sendfile_fails);
    }
    mutex_unlock(&s->write_lock);
    return is_closed ? native_posix(p, EINVAL) : socket_refused(p, am_efile);
}

/* --- The natives --- */

/* sendfile(Socket, Reference, Offset, Count, File) */
Term prim_socket_sendfile_5(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    Sending g = {.to = -1, .from = -1, .left_over = -1};
    Term wrong;
    if (!place_from(p, &g, a[1], a[2], a[3], &wrong))
        return wrong;
    if (!is_ref(a[4]))
        return native_badarg(p);
    g.from = prim_file_duplicate(p, a[4]);
    return g.from >= 0 ? run(p, s, &g, a[1], false) : no_file(p, s, g.from == -1);
}

/* sendfile(Socket, Reference, Offset, Count): goes on */
Term prim_socket_sendfile_4(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    Sending g = {.to = -1, .from = -1, .left_over = -1};
    Term wrong;
    return place_from(p, &g, a[1], a[2], a[3], &wrong) ? run(p, s, &g, a[1], true) : wrong;
}

/* sendfile(Socket): by the registry, for one who waits no more. It may have been done by another, who sends a file. */
Term prim_socket_sendfile_1(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    mutex_lock(&s->write_lock);
    bool was_asked = s->files_deferred > 0;
    s->files_deferred -= was_asked;
    int file = s->file >= 0 && !is_value(s->file_sender) ? take_file(s) : -1;
    mutex_unlock(&s->write_lock);
    if (file >= 0)
        return native_posix(p, close(file) == 0 ? 0 : errno);
    return was_asked ? am_ok : socket_refused(p, am_state);
}
