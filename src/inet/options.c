#include "inet/options.h"

#include <netinet/in.h>

#include "inet/option_other.h"
#include "inet/option_table.h"
#include "inet/tell.h"
#include "term/atom.h"

static bool is_stream(const Inet *d) { return d->driver->type == SOCK_STREAM; }

/* --- values of the system ----------------------------------------------------------------------------------------- */

typedef struct {
    int level, name;
} Name;

static Name name_of(const Inet *d, const InetOption *o) {
    bool is_other = d->domain == AF_INET6 && o->level6 != 0;
    return is_other ? (Name){o->level6, o->name6} : (Name){o->level, o->name};
}

static bool get_value(const Inet *d, Name n, int *value) {
    socklen_t size = sizeof *value;
    *value = 0;
    return getsockopt(d->fd, n.level, n.name, value, &size) == 0;
}

static bool set_value(const Inet *d, Name n, int value) {
    return setsockopt(d->fd, n.level, n.name, &value, sizeof value) == 0;
}

/* The system changes the priority with the type of service: it is put back. */
static bool set_tos(const Inet *d, Name n, int value) {
    static const Name priority = {SOL_SOCKET, SO_PRIORITY};
    int before;
    bool is_known = get_value(d, priority, &before), is_set = set_value(d, n, value);
    if (is_known)
        (void)set_value(d, priority, before);
    return is_set;
}

#define PACKET_MAX 65536 /* a datagram is never longer */

/* What is read at once is never less than what the system keeps, but where it was set. */
static void grow_buffer(Inet *d, unsigned number, int32_t value) {
    if (number == OPTION_RECBUF && value > 0 && !d->has_own_buffer_size && d->buffer_size < (uint32_t)value)
        d->buffer_size = is_stream(d) || value < PACKET_MAX ? (uint32_t)value : PACKET_MAX;
}

/* Who asked for control messages is told of them, even if there are none. */
static void note_control(Inet *d, unsigned number, bool is_on) {
    unsigned bit = number == OPTION_RECVTOS      ? INET_RECEIVES_TOS
                   : number == OPTION_RECVTTL    ? INET_RECEIVES_TTL
                   : number == OPTION_RECVTCLASS ? INET_RECEIVES_TCLASS
                                                 : 0;
    d->controls = (uint8_t)(is_on ? d->controls | bit : d->controls & ~bit);
}

static Term set_of_system(Inet *d, unsigned number, const InetOption *o, int32_t value) {
    Name n = name_of(d, o);
    bool is_set = number == OPTION_TOS || number == OPTION_TCLASS ? set_tos(d, n, value) : set_value(d, n, value);
    if (is_set)
        note_control(d, number, value != 0);
    grow_buffer(d, number, value);
    return is_set || !o->tells_errors ? am_ok : am_einval;
}

/* --- setting ------------------------------------------------------------------------------------------------------ */

static Term set_with(Inet *d, const InetLocalOption *o, int32_t value) {
    return o->set == NULL ? am_einval : o->set(d, value);
}

static Term set_of_driver(Inet *d, unsigned number, int32_t value) {
    const InetLocalOption *o = &d->driver->options[number];
    return d->type == 0 || o->set == NULL ? am_ok : o->set(d, value);
}

static Term set_one(Inet *d, unsigned number, Reader *r) {
    const InetOption *o = inet_option(number);
    int32_t value = (int32_t)reader_u32(r);
    if (o == NULL)
        return am_einval;
    switch (o->kind) {
    case OPTION_VALUE: return set_of_system(d, number, o, value);
    case OPTION_LOCAL: return set_with(d, &inet_local_options[number], value);
    case OPTION_OF_STREAMS: return is_stream(d) ? set_with(d, &inet_local_options[number], value) : am_ok;
    case OPTION_OF_DRIVERS: return set_of_driver(d, number, value);
    default: return inet_other_option_set(d, number, value, r);
    }
}

#define SHORTEST 5 /* of an option: its number and its value */

Term inet_set_options(Inet *d, Reader *r, Text *answer) {
    int32_t active = d->active;
    int16_t count = d->active_count;
    Term result = am_ok;
    while (result == am_ok && reader_left(r) >= SHORTEST)
        result = set_one(d, reader_u8(r), r);
    if (active != d->active || count != d->active_count)
        d->driver->activity_changed(d, active);
    return result;
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

static void put_value(Text *answer, unsigned number, int32_t value) {
    text_byte(answer, (char)number);
    inet_put_u32(answer, (uint32_t)value);
}

static Term get_of_system(const Inet *d, unsigned number, const InetOption *o, Text *answer) {
    int value;
    if (get_value(d, name_of(d, o), &value))
        put_value(answer, number, value);
    return am_ok;
}

static Term get_with(const Inet *d, unsigned number, const InetLocalOption *o, Text *answer) {
    if (o->get == NULL)
        return am_einval;
    put_value(answer, number, o->get(d));
    return am_ok;
}

static Term get_of_driver(const Inet *d, unsigned number, Text *answer) {
    const InetLocalOption *o = &d->driver->options[number];
    return d->type == 0 || o->get == NULL ? am_ok : get_with(d, number, o, answer);
}

static Term get_one(Inet *d, unsigned number, Reader *r, Text *answer) {
    const InetOption *o = inet_option(number);
    if (o == NULL)
        return am_einval;
    switch (o->kind) {
    case OPTION_VALUE: return get_of_system(d, number, o, answer);
    case OPTION_LOCAL: return get_with(d, number, &inet_local_options[number], answer);
    case OPTION_OF_STREAMS: return is_stream(d) ? get_with(d, number, &inet_local_options[number], answer) : am_ok;
    case OPTION_OF_DRIVERS: return get_of_driver(d, number, answer);
    default: return inet_other_option_get(d, number, r, answer);
    }
}

Term inet_get_options(Inet *d, Reader *r, Text *answer) {
    Term result = am_ok;
    while (result == am_ok && reader_left(r) > 0)
        result = get_one(d, reader_u8(r), r, answer);
    return result;
}

void inet_active_message_sent(Inet *d) {
    if (d->active == INET_ACTIVE_ONCE)
        d->active = INET_PASSIVE;
    else if (d->active == INET_ACTIVE_COUNTED && --d->active_count == 0)
        inet_become_passive(d);
}
