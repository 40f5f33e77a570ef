/* Options: those of the system by their tables (socket/option.h), the runtime's own here. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>

#include "alloc/alloc.h"
#include "bif/socket/native.h"
#include "bif_table.h"
#include "socket/address.h"
#include "socket/names.h"
#include "socket/option.h"
#include "term/bits.h"
#include "term/integer.h"

/* The level `otp`: numbers that prim_socket has for them. */
enum {
    OWN_DEBUG = 1001,
    OWN_WRAPS = 1002,
    OWN_OWNER = 1003,
    OWN_READ_ROOM = 1004,
    OWN_READ_CONTROL_ROOM = 1006,
    OWN_WRITE_CONTROL_ROOM = 1007,
    OWN_DESCRIPTOR = 1008,
    OWN_META = 1009,
    OWN_REGISTRY = 1010,
    OWN_DOMAIN = 1999,
};

static Term own_unknown(Process *p, int option) {
    return socket_raise_invalid(p, am_otp_socket_option, small_make(option));
}

/* --- Setting the runtime's own --- */

static bool flag_from(Term t, bool *to) {
    *to = t == am_true;
    return t == am_true || t == am_false;
}

static Term set_flag(Process *p, Term value, bool *flag) {
    bool is;
    if (!flag_from(value, &is))
        return socket_invalid(p, am_value);
    *flag = is;
    return am_ok;
}

static bool room_from(Term t, size_t otherwise, size_t *to) {
    uint64_t value;
    *to = otherwise;
    if (t == am_default)
        return true;
    bool is_good = is_integer(t) && !integer_is_negative(t) && integer_to_uint64(t, &value) && value > 0;
    if (is_good)
        *to = value;
    return is_good;
}

static Term set_room(Process *p, Term value, size_t otherwise, size_t *room) {
    size_t size;
    if (!room_from(value, otherwise, &size))
        return socket_invalid(p, am_value);
    *room = size;
    return am_ok;
}

/* A size, or how many of such a size one recv fills at most. */
static Term set_read_room(Process *p, Socket *s, Term value) {
    unsigned most = 0;
    size_t room;
    if (is_tuple(value)) {
        if (tuple_arity(value) != 2 || !socket_uint_from(tuple_elements(value)[0], &most) || most == 0)
            return socket_invalid(p, am_value);
        value = tuple_elements(value)[1];
    }
    if (!room_from(value, SOCKET_READ_ROOM, &room))
        return socket_invalid(p, am_value);
    s->reads_most = most;
    s->read_room = room;
    return am_ok;
}

/* *is_over: it does not live, and the socket goes with it. */
static Term set_owner(Process *p, Socket *s, Term value, bool *is_over) {
    if (s->owner != p->pid)
        return socket_refused(p, am_not_owner);
    if (!is_local_pid(value))
        return socket_invalid(p, am_value);
    *is_over = value != s->owner && !socket_set_owner(s, value);
    return am_ok;
}

/* It has been made before, as that may take long; what is left in its place goes afterwards. */
static Term set_meta(Process *p, Socket *s, Kept *fresh) {
    if (s->owner != p->pid)
        return socket_refused(p, am_not_owner);
    Kept before = s->meta;
    s->meta = *fresh;
    *fresh = before;
    return am_ok;
}

/* It can only begin. */
static Term set_registry(Process *p, Socket *s, Term value) {
    if (value != am_true)
        return socket_invalid(p, am_value);
    socket_register(s);
    return am_ok;
}

static Term set_own(Process *p, Socket *s, int option, Term value, Kept *kept, bool *is_over) {
    switch (option) {
    case OWN_DEBUG: return set_flag(p, value, &s->debug);
    case OWN_WRAPS: return set_flag(p, value, &s->counts_wraps);
    case OWN_OWNER: return set_owner(p, s, value, is_over);
    case OWN_READ_ROOM: return set_read_room(p, s, value);
    case OWN_READ_CONTROL_ROOM: return set_room(p, value, SOCKET_CONTROL_ROOM, &s->read_control_room);
    case OWN_WRITE_CONTROL_ROOM: return set_room(p, value, SOCKET_CONTROL_ROOM, &s->write_control_room);
    case OWN_META: return set_meta(p, s, kept);
    case OWN_REGISTRY: return set_registry(p, s, value);
    default: return own_unknown(p, option);
    }
}

/* --- Reading the runtime's own --- */

static Term read_room_term(Area *area, const Socket *s) {
    Term room = integer_from_uint64(area, s->read_room);
    return s->reads_most == 0 ? room : area_tuple2(area, small_make(s->reads_most), room);
}

static Term owner_term(const Socket *s) { return is_value(s->owner) ? s->owner : am_undefined; }

/* NON_VALUE: there is no such option. */
static Term own_value(Area *area, const Socket *s, int option) {
    switch (option) {
    case OWN_DEBUG: return bool_term(s->debug);
    case OWN_WRAPS: return bool_term(s->counts_wraps);
    case OWN_OWNER: return owner_term(s);
    case OWN_READ_ROOM: return read_room_term(area, s);
    case OWN_READ_CONTROL_ROOM: return integer_from_uint64(area, s->read_control_room);
    case OWN_WRITE_CONTROL_ROOM: return integer_from_uint64(area, s->write_control_room);
    case OWN_DESCRIPTOR: return small_make(s->fd);
    case OWN_META: return kept_copy(&s->meta, area);
    case OWN_REGISTRY: return bool_term(s->is_registered);
    case OWN_DOMAIN: return socket_name_of(socket_domains, s->domain);
    default: return NON_VALUE;
    }
}

static Term get_own(Process *p, Socket *s, int option) {
    Term value = own_value(process_area(p), s, option);
    return is_value(value) ? native_ok(p, value) : own_unknown(p, option);
}

/* --- The system's --- */

static Term set_named(Process *p, const Socket *s, int level, int number, Term value) {
    const SocketOption *o = socket_option_find(level, number);
    if (o == NULL || o->set == OPTION_NEITHER)
        return socket_invalid(p, am_socket_option);
    int error = socket_option_set(s, o, value);
    return error < 0 ? socket_invalid(p, am_value) : native_posix(p, error);
}

static Term get_named(Process *p, const Socket *s, int level, int number) {
    const SocketOption *o = socket_option_find(level, number);
    Term value;
    if (o == NULL || o->got == OPTION_NEITHER)
        return socket_invalid(p, am_socket_option);
    int error = socket_option_get(s, o, process_area(p), &value);
    return error ? native_posix(p, error) : native_ok(p, value);
}

/* By its bytes (an iolist will do), or an int. */
static Term set_native(Process *p, const Socket *s, int level, int number, Term value) {
    NativeBytes b = {.copy = NULL};
    int plain = value == am_true;
    if (value == am_true || value == am_false || socket_int_from(value, &plain))
        b = (NativeBytes){.bytes = (const uint8_t *)&plain, .count = sizeof plain};
    else if (!socket_bytes_from(value, &b))
        return socket_refused(p, am_value);
    int system = socket_level_of_system(level);
    int error = setsockopt(s->fd, system, number, b.bytes, (socklen_t)b.count) == 0 ? 0 : errno;
    native_bytes_release(&b);
    return native_posix(p, error);
}

static Term get_bytes(Process *p, const Socket *s, int level, int number, uint8_t *bytes, socklen_t count) {
    socklen_t *room = bytes != NULL || count != 0 ? &count : NULL;
    if (getsockopt(s->fd, socket_level_of_system(level), number, bytes, room) != 0)
        return native_posix(p, errno);
    return native_ok(p, binary_from_bytes(process_area(p), bytes, count));
}

static Term get_plain(Process *p, const Socket *s, int level, int number, bool is_flag) {
    int value = 0;
    socklen_t count = sizeof value;
    if (getsockopt(s->fd, socket_level_of_system(level), number, &value, &count) != 0)
        return native_posix(p, errno);
    return native_ok(p, is_flag ? bool_term(value != 0) : small_make(value));
}

/* As `integer`, `boolean`, that many bytes, or as many as there are in a binary, with which the buffer is filled. Of a
 * number that is none the system says so. */
static Term get_native(Process *p, const Socket *s, int level, int number, Term form) {
    int room;
    NativeBytes b = {.copy = NULL};
    if (form == am_integer || form == am_boolean)
        return get_plain(p, s, level, number, form == am_boolean);
    bool is_filled = is_binary(form) && native_bytes(form, &b);
    if (!is_filled && !socket_int_from(form, &room))
        return socket_invalid(p, am_value);
    if (!is_filled && room <= 0)
        return get_bytes(p, s, level, number, NULL, (socklen_t)room);
    size_t count = is_filled ? b.count : (size_t)room;
    uint8_t *bytes = count > INT_MAX ? NULL : mem_try_calloc(ALLOC_TEMP, count + 1);
    if (bytes != NULL && is_filled)
        memcpy(bytes, b.bytes, count);
    Term result = bytes == NULL ? native_posix(p, ENOMEM) : get_bytes(p, s, level, number, bytes, (socklen_t)count);
    mem_free(ALLOC_TEMP, bytes);
    native_bytes_release(&b);
    return result;
}

/* --- The natives --- */

/* Which of level and option, a[1] and a[2], is none; NON_VALUE: neither. */
static Term wrong_place(const Term *a, bool may_be_own, int *level, int *number) {
    if (!(may_be_own && a[1] == am_otp) && !socket_level_from(a[1], level))
        return a[1];
    return socket_int_from(a[2], number) ? NON_VALUE : a[2];
}

/* setopt(Socket, Level, Option, Value, IsNative) */
Term prim_socket_setopt(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    int level = 0, number;
    Term wrong = wrong_place(a, true, &level, &number);
    if (is_value(wrong))
        return socket_bad_number(p, wrong);
    Kept kept = a[1] == am_otp && number == OWN_META ? kept_make(a[3]) : KEPT_NONE;
    bool is_over = false;
    socket_lock_both(s);
    Term result = s->closing              ? socket_failed(p, am_closed)
                  : a[1] == am_otp        ? set_own(p, s, number, a[3], &kept, &is_over)
                  : a[4] == small_make(0) ? set_named(p, s, level, number, a[3])
                                          : set_native(p, s, level, number, a[3]);
    socket_unlock_both(s);
    if (is_over)
        (void)socket_begin_close(s, NON_VALUE);
    kept_release(&kept);
    return result;
}

/* getopt(Socket, Level, Option) */
Term prim_socket_getopt_3(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    int level = 0, number;
    Term wrong = wrong_place(a, true, &level, &number);
    if (is_value(wrong))
        return socket_bad_number(p, wrong);
    socket_lock_both(s);
    Term result = s->closing       ? socket_failed(p, am_closed)
                  : a[1] == am_otp ? get_own(p, s, number)
                                   : get_named(p, s, level, number);
    socket_unlock_both(s);
    return result;
}

/* getopt(Socket, Level, Option, Form) */
Term prim_socket_getopt_4(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    int level, number;
    Term wrong = wrong_place(a, false, &level, &number);
    if (is_value(wrong))
        return socket_bad_number(p, wrong);
    socket_lock_both(s);
    Term result = s->closing ? socket_failed(p, am_closed) : get_native(p, s, level, number, a[3]);
    socket_unlock_both(s);
    return result;
}
