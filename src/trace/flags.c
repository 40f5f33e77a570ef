#include "trace/flags.h"

#include "am.h"

/* In the order in which trace_info lists them. */
static const struct {
    Term name;
    uint32_t flag;
} names[] = {
    {am_running_procs, TRACE_RUNNING_PROCS},
    {am_running_ports, TRACE_RUNNING_PORTS},
    {am_ports, TRACE_PORTS},
    {am_scheduler_id, TRACE_SCHEDULER_ID},
    {am_silent, TRACE_SILENT},
    {am_return_to, TRACE_RETURN_TO},
    {am_arity, TRACE_ARITY},
    {am_garbage_collection, TRACE_GARBAGE_COLLECTION},
    {am_exiting, TRACE_EXITING},
    {am_running, TRACE_RUNNING},
    {am_set_on_first_link, TRACE_SET_ON_FIRST_LINK},
    {am_set_on_link, TRACE_SET_ON_LINK},
    {am_set_on_first_spawn, TRACE_SET_ON_FIRST_SPAWN},
    {am_procs, TRACE_PROCS},
    {am_call, TRACE_CALL},
    {am_set_on_spawn, TRACE_SET_ON_SPAWN},
    {am_receive, TRACE_RECEIVE},
    {am_send_word, TRACE_SEND},
    {am_monotonic_timestamp, TRACE_MONOTONIC_TIMESTAMP},
    {am_strict_monotonic_timestamp, TRACE_STRICT_MONOTONIC_TIMESTAMP},
    {am_timestamp, TRACE_TIMESTAMP},
};

uint32_t trace_flag(Term name) {
    uint32_t all = 0;
    for (size_t i = 0; i < array_length(names); i++) {
        if (names[i].name == name)
            return names[i].flag;
        all |= names[i].flag;
    }
    return name == am_all ? all : 0;
}

Term trace_flag_list(Area *area, uint32_t flags) {
    Term list = NIL;
    for (size_t i = array_length(names); i-- > 0;)
        if (flags & names[i].flag)
            list = area_cons(area, names[i].name, list);
    return list;
}
