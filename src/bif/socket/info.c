/* What there is: of one socket, of all, and what this system supports. */
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "bif/argument.h"
#include "bif/socket/native.h"
#include "bif_table.h"
#include "socket/address.h"
#include "socket/names.h"
#include "socket/option.h"
#include "term/integer.h"
#include "term/map.h"

/* --- nif_info/0, nif_command/1 --- */

#define TOTALS_MAX 16

static Term totals(Area *area) {
    Term pairs[2 * (TOTALS_MAX + 1)] = {am_num_cnt_bits, small_make(64)};
    for (size_t i = 0; i < socket_total_count; i++) {
        pairs[2 * i + 2] = socket_totals[i].name;
        pairs[2 * i + 3] = small_make(atomic_load_explicit(socket_totals[i].count, memory_order_relaxed));
    }
    return map_from_pairs(area, pairs, socket_total_count + 1);
}

Term prim_socket_info_0(Process *p, const Term *a) {
    Area *area = process_area(p);
    Term pairs[] = {am_debug,        bool_term(atomic_load(&socket_debug)),
                    am_socket_debug, bool_term(atomic_load(&socket_debug_new)),
                    am_iow,          bool_term(atomic_load(&socket_counts_wraps)),
                    am_use_registry, bool_term(atomic_load(&socket_uses_registry)),
                    am_iov_max,      small_make(IOV_MAX),
                    am_counters,     totals(area)};
    return map_from_pairs(area, pairs, array_length(pairs) / 2);
}

/* #{command => debug | socket_debug | use_registry, data => boolean()} */
Term prim_socket_command(Process *p, const Term *a) {
    Term command = socket_map_value(a[0], am_command), data = socket_map_value(a[0], am_data);
    _Atomic bool *flag = command == am_debug          ? &socket_debug
                         : command == am_socket_debug ? &socket_debug_new
                         : command == am_use_registry ? &socket_uses_registry
                                                      : NULL;
    if (flag == NULL)
        return native_badarg(p);
    if (data != am_true && data != am_false)
        return socket_raise_invalid(p, am_data, data);
    atomic_store(flag, data == am_true);
    return am_ok;
}

/* --- nif_info/1 --- */

static Term states(Area *area, unsigned state) {
    static const Term names[] = {am_bound,     am_listening, am_accepting, am_connecting,
                                 am_connected, am_selected,  am_closing,   am_closed};
    Term list = NIL;
    for (size_t i = array_length(names); i-- > 0;)
        if (state & 1u << i)
            list = area_cons(area, names[i], list);
    return list;
}

/* The last ones are there when there was a sendfile. */
#define FILE_COUNTERS 8

static Term counters(Area *area, const Socket *s) {
    const struct {
        Term name;
        uint64_t count;
    } all[] = {{am_read_pkg, s->read.packages},       {am_read_byte, s->read.bytes},
               {am_read_tries, s->read.tries},        {am_read_waits, s->read.waits},
               {am_read_fails, s->read.fails},        {am_read_pkg_max, s->read.most},
               {am_write_pkg, s->write.packages},     {am_write_byte, s->write.bytes},
               {am_write_tries, s->write.tries},      {am_write_waits, s->write.waits},
               {am_write_fails, s->write.fails},      {am_write_pkg_max, s->write.most},
               {am_acc_success, s->accept.successes}, {am_acc_tries, s->accept.tries},
               {am_acc_waits, s->accept.waits},       {am_acc_fails, s->accept.fails},
               {am_sendfile, s->files.calls},         {am_sendfile_pkg, s->files.packages},
               {am_sendfile_byte, s->files.bytes},    {am_sendfile_tries, s->files.tries},
               {am_sendfile_waits, s->files.waits},   {am_sendfile_fails, s->files.fails},
               {am_sendfile_max, s->files.most_call}, {am_sendfile_pkg_max, s->files.most}};
    Term pairs[2 * array_length(all)];
    for (size_t i = 0; i < array_length(all); i++) {
        pairs[2 * i] = all[i].name;
        pairs[2 * i + 1] = integer_from_uint64(area, all[i].count);
    }
    return map_from_pairs(area, pairs, s->files.are_any ? array_length(all) : array_length(all) - FILE_COUNTERS);
}

static Term beginning(Area *area, const Socket *s) {
    return s->opened_from == -1            ? am_normal
           : s->opened_from == SOCKET_LENT ? am_fromfd
                                           : area_tuple2(area, am_fromfd, small_make(s->opened_from));
}

static Term queue_length(const SocketQueue *q) { return small_make((SWord)socket_queue_length(q)); }

static Term info(Area *area, const Socket *s) {
    Term pairs[] = {am_domain,        socket_name_of(socket_domains, s->domain),
                    am_type,          socket_name_of(socket_types, s->type),
                    am_protocol,      small_make(s->protocol),
                    am_owner,         is_value(s->owner) ? s->owner : am_undefined,
                    am_ctype,         beginning(area, s),
                    am_rstates,       states(area, socket_read_state(s)),
                    am_wstates,       states(area, socket_write_state(s)),
                    am_num_readers,   queue_length(&s->readers),
                    am_num_writers,   queue_length(&s->writers),
                    am_num_acceptors, queue_length(&s->acceptors),
                    am_counters,      counters(area, s)};
    return map_from_pairs(area, pairs, array_length(pairs) / 2);
}

Term prim_socket_info_1(Process *p, const Term *a) {
    TAKE_SOCKET(s, a[0]);
    socket_lock_both(s);
    Term result = info(process_area(p), s);
    socket_unlock_both(s);
    return result;
}

/* --- nif_supports/0,1 --- */

Term prim_socket_supports_0(Process *p, const Term *a) {
    static const Term names[] = {am_sendfile, am_netns, am_local, am_ipv6, am_sctp};
    Area *area = process_area(p);
    Term list = NIL;
    for (size_t i = 0; i < array_length(names); i++)
        list = area_cons(area, area_tuple2(area, names[i], am_true), list);
    return list;
}

static Term names_term(Area *area, const SocketName *names) {
    Term list = NIL;
    for (; is_value(names->name); names++)
        list = area_cons(area, area_tuple2(area, names->name, small_make(names->number)), list);
    return list;
}

/* What the system's own list of protocols says, the last first: of those with one number the first one counts. */
static Term protocol_names(Area *area, const struct protoent *e) {
    Term list = NIL;
    size_t count = 0;
    while (e->p_aliases[count] != NULL)
        count++;
    while (count-- > 0)
        list = area_cons(area, atom_from_cstring(e->p_aliases[count]), list);
    return area_cons(area, atom_from_cstring(e->p_name), list);
}

static Term protocols_term(Area *area) {
    static Mutex lock = MUTEX_INITIALIZER(LOCK_SOCKET_PROTOCOLS);
    Term list = NIL;
    mutex_lock(&lock);
    setprotoent(0);
    for (const struct protoent *e; (e = getprotoent()) != NULL;)
        list = area_cons(area, area_tuple2(area, protocol_names(area, e), small_make(e->p_proto)), list);
    endprotoent();
    mutex_unlock(&lock);
    return list;
}

static Term option_term(Area *area, const SocketOption *o) {
    return o->number < 0 ? o->name : area_tuple2(area, o->name, small_make(o->number));
}

/* One level after the other: the table has them side by side. */
static Term options_term(Area *area) {
    Term levels = NIL;
    for (const SocketOption *o = socket_options; is_value(o->name);) {
        int level = o->level;
        Term list = NIL;
        for (; is_value(o->name) && o->level == level; o++)
            list = area_cons(area, option_term(area, o), list);
        Term name = level == OPTION_LEVEL_SOCKET ? am_socket : small_make(level);
        levels = area_cons(area, area_tuple2(area, name, list), levels);
    }
    return levels;
}

/* nif_supports(Key) */
Term prim_socket_supports_1(Process *p, const Term *a) {
    Area *area = process_area(p);
    switch (a[0]) {
    case am_msg_flags: return names_term(area, socket_message_flags);
    case am_ioctl_requests: return names_term(area, socket_requests);
    case am_ioctl_flags: return names_term(area, socket_interface_flags);
    case am_protocols: return protocols_term(area);
    case am_options: return options_term(area);
    default: return NIL;
    }
}
