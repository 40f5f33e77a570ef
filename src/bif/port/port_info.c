/* erlang:port_info/1,2: what a port knows of itself, told by it. Source: erlang(3). */
#include <string.h>

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "port/busy.h"
#include "port/data_lock.h"
#include "port/kept_back.h"
#include "port/signal.h"
#include "port/trace.h"
#include "process/binaries.h"
#include "process/link.h"
#include "process/monitor.h"
#include "process/registry.h"
#include "process/request.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/node.h"

typedef struct {
    PortCall call; /* must be first */
    Term item;     /* NON_VALUE: those of port_info/1 */
} Question;

typedef struct {
    const Port *port;
    Area *area;
} Subject;
typedef Term PortItem(const Subject *s);

static Term number(const Subject *s, uint64_t n) { return integer_from_uint64(s->area, n); }

/* Its bytes: they are not decoded. */
static Term name(const Subject *s) { return list_from_bytes(s->area, s->port->name, strlen(s->port->name), NIL); }
/* As the stock runtime counts them. */
static Term id(const Subject *s) { return number(s, port_number(port_id(s->port)) * 8); }
static Term connected(const Subject *s) { return port_connected(s->port); }
static Term input(const Subject *s) { return number(s, atomic_load(&s->port->bytes_in)); }
static Term output(const Subject *s) { return number(s, atomic_load(&s->port->bytes_out)); }
static Term os_pid(const Subject *s) {
    return s->port->os_pid < 0 ? am_undefined : number(s, (uint64_t)s->port->os_pid);
}
static Term queue_size(const Subject *s) { return number(s, port_queue_bytes(s->port)); }
static Term parallelism(const Subject *s) { return bool_term(s->port->options.is_parallel); }
static Term locking(const Subject *s) { return s->port->driver->locks_itself ? am_port_level : am_driver_level; }
static Term registered_name(const Subject *s) {
    Term found = registry_name_of(&s->port->actor);
    return is_value(found) ? found : NIL;
}

static void add_share(RefcBinary *binary, void *data) { binary_share_add(data, binary); }

/* For viv_see_binaries: {Share, References, Largest} of the binaries in its queue (process/binaries.h). */
static Term binaries(const Subject *s) {
    BinaryShare sum = {0};
    port_queue_each(s->port, add_share, &sum);
    return binary_share_term(&sum, s->area);
}

static Term waiting(const Subject *s) { return port_who_wait(s->port, s->area); }

static Term memory(const Subject *s) {
    const Process *a = &s->port->actor;
    size_t tables = key_table_bytes(&a->links) + key_table_bytes(&a->watchers) + key_table_bytes(&a->monitors);
    size_t nodes = a->links.count * sizeof(Link) + a->watchers.count * sizeof(Watcher);
    size_t own = sizeof *s->port + strlen(s->port->name) + 1;
    return number(s, own + tables + nodes + port_queue_memory(s->port));
}

typedef struct {
    const Subject *subject;
    Term list;
} Gathered;

static void gather(KeyNode *node, void *data) {
    Gathered *to = data;
    const Link *l = (const Link *)node;
    if (l->unlinking == 0)
        to->list = area_cons(to->subject->area, (Term)node->key, to->list);
}

static void gather_watcher(KeyNode *node, void *data) {
    Gathered *to = data;
    const Watcher *w = (const Watcher *)node;
    Area *area = to->subject->area;
    Term origin = w->native == NULL ? w->origin : w->native->origin(w->native, area);
    if (is_value(origin))
        to->list = area_cons(area, origin, to->list);
}

static Term links(const Subject *s) {
    Gathered to = {s, NIL};
    key_table_each(&s->port->actor.links, gather, &to);
    return to.list;
}

static Term monitored_by(const Subject *s) {
    Gathered to = {s, NIL};
    key_table_each(&s->port->actor.watchers, gather_watcher, &to);
    return to.list;
}

static void gather_monitor(KeyNode *node, void *data) {
    Gathered *to = data;
    Area *area = to->subject->area;
    to->list = area_cons(area, area_tuple2(area, am_process, ((const Monitor *)node)->target), to->list);
}

static Term monitors(const Subject *s) {
    Gathered to = {s, NIL};
    key_table_each(&s->port->actor.monitors, gather_monitor, &to);
    return to.list;
}

/* Those of port_info/1 first, in its order. */
static const struct {
    Term name;
    PortItem *item;
    bool is_common;
} items[] = {
    {am_registered_name, registered_name, false}, /* port_info/1 has it first where there is one */
    {am_name, name, true},
    {am_links, links, true},
    {am_id, id, true},
    {am_connected, connected, true},
    {am_input, input, true},
    {am_output, output, true},
    {am_os_pid, os_pid, true},
    {am_monitors, monitors, false},
    {am_monitored_by, monitored_by, false},
    {am_queue_size, queue_size, false},
    {am_memory, memory, false},
    {am_parallelism, parallelism, false},
    {am_locking, locking, false},
    {am_viv_binaries, binaries, false}, /* the runtime's own modules alone ask for this and the next */
    {am_viv_waiting, waiting, false},
};

static PortItem *item_of(Term name) {
    for (size_t i = 0; i < array_length(items); i++)
        if (items[i].name == name)
            return items[i].item;
    return NULL;
}

static Term pair(const Subject *s, size_t i) { return area_tuple2(s->area, items[i].name, items[i].item(s)); }

static Term build_all(const Subject *s) {
    Term list = NIL;
    for (size_t i = array_length(items); i-- > 0;)
        if (items[i].is_common || (i == 0 && registered_name(s) != NIL))
            list = area_cons(s->area, pair(s, i), list);
    return list;
}

static Term build(const PortCall *c, void *data, Area *area) {
    Subject s = {data, area};
    Term item = ((const Question *)c)->item;
    if (!is_value(item))
        return build_all(&s);
    Term value = item_of(item)(&s);
    return item == am_registered_name && is_nil(value) ? NIL : area_tuple2(area, item, value);
}

/* One that has nothing left to write is gone, to who asks, though not all is done yet. */
static void tell(Process *actor, CallSignal *call) {
    Question *q = (Question *)call;
    Port *port = port_of(actor);
    if (port_has_status(port, PORT_ENDS)) {
        port_answer_with(&q->call, am_undefined);
        return;
    }
    port_trace_in(port, am_info);
    port_trace_out(port, am_info);
    if (port_has_status(port, PORT_CLOSING) && port_has_kept_back(port)) /* as the stock runtime has it */
        port_answer_with(&q->call, am_undefined);
    else
        port_answer(&q->call, build, port);
}

/* `no_port`: what is no port of this node, nor the name of one, is told by. */
static Term ask(Process *p, Term port, Term item, Term no_port) {
    Port *to = port_at_name(port);
    if (to == NULL)
        return is_local_port(port) || is_atom(port) ? am_undefined : no_port;
    Question *q = port_call_create(sizeof *q, p->pid, tell);
    q->item = item;
    return port_ask(p, to, &q->call, am_undefined);
}

Term erts_internal_port_info_1(Process *p, const Term *a) {
    Term answer;
    return request_goes_on(p, &answer) ? answer : ask(p, a[0], NON_VALUE, am_badarg);
}

Term erts_internal_port_info_2(Process *p, const Term *a) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    return item_of(a[1]) == NULL ? am_badarg : ask(p, a[0], a[1], am_badtype);
}
