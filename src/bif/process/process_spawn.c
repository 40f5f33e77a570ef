/* Making processes: erlang:spawn and its relatives, and the decoding of their options. */
#include "bif/process/process_options.h"

#include "bif/argument.h"
#include "bif_table.h"
#include "process/link.h"
#include "process/reference.h"
#include "process/run_queue.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/map.h"

#define COST_OF_SPAWN 50

bool scheduler_decode(Term t, unsigned *scheduler) {
    if (!is_small_within(t, 0, run_queue_count()))
        return false;
    *scheduler = (unsigned)small_value(t);
    return true;
}

bool priority_decode(Term t, Priority *priority) {
    static const Term names[] = {am_max, am_high, am_normal, am_low};
    for (unsigned i = 0; i < PRIORITY_COUNT; i++) {
        if (t == names[i]) {
            *priority = (Priority)i;
            return true;
        }
    }
    return false;
}

Term priority_term(Priority priority) {
    static const Term names[] = {am_max, am_high, am_normal, am_low};
    return names[priority];
}

static bool flag_decode(Term map, Term key, uint8_t bit, uint8_t *flags) {
    const Term *value = map_get(map, key);
    if (!value)
        return true;
    if (*value != am_true && *value != am_false)
        return false;
    *flags = (uint8_t)(*value == am_true ? *flags | bit : *flags & ~bit);
    return true;
}

bool max_heap_size_decode(Term t, size_t *words, uint8_t *flags) {
    size_t least = spawn_defaults.min_heap_words, size = *words;
    uint8_t bits = *flags;
    if (is_map(t)) {
        const Term *given = map_get(t, am_size);
        if (!given || !flag_decode(t, am_kill, HEAP_MAX_KILL, &bits) ||
            !flag_decode(t, am_error_logger, HEAP_MAX_LOG, &bits) ||
            (release_has(RELEASE_LIMIT_OF_BINARIES) &&
             !flag_decode(t, am_include_shared_binaries, HEAP_MAX_SHARED, &bits)))
            return false;
        t = *given;
    }
    if (!is_small_within(t, 0, STOCK_SMALL_MAX))
        return false;
    size = (size_t)small_value(t);
    if (size != 0 && size < least)
        return false;
    *words = size;
    *flags = bits;
    return true;
}

Term max_heap_size_term(Area *area, size_t words, uint8_t flags) {
    Term pairs[] = {
        am_error_logger,
        bool_term(flags & HEAP_MAX_LOG),
        am_kill,
        bool_term(flags & HEAP_MAX_KILL),
        am_size,
        small_make((SWord)words),
        am_include_shared_binaries,
        bool_term(flags & HEAP_MAX_SHARED),
    };
    size_t count = array_length(pairs) / 2 - !release_has(RELEASE_LIMIT_OF_BINARIES);
    return map_from_pairs(area, pairs, count);
}

static bool alias_mode_decode(Term t, AliasMode *mode) {
    if (t == am_explicit_unalias)
        *mode = ALIAS_EXPLICIT_UNALIAS;
    else if (t == am_demonitor)
        *mode = ALIAS_DEMONITOR;
    else if (t == am_reply_demonitor)
        *mode = ALIAS_REPLY_DEMONITOR;
    else
        return false;
    return true;
}

static bool monitor_option_decode(Term option, MonitorOptions *o) {
    if (option == am_priority && release_has(RELEASE_PRIORITY_MESSAGES)) {
        o->down_is_priority = true;
        return true;
    }
    if (!is_tuple_arity(option, 2))
        return false;
    Term key = tuple_elements(option)[0], value = tuple_elements(option)[1];
    if (key == am_tag)
        o->tag = value;
    return key == am_tag || (key == am_alias && alias_mode_decode(value, &o->alias));
}

bool monitor_options_decode(Term list, Term default_tag, MonitorOptions *o) {
    *o = MONITOR_DEFAULTS;
    o->tag = default_tag;
    for (; is_list(list); list = list_tail(list))
        if (!monitor_option_decode(list_head(list), o))
            return false;
    return is_nil(list);
}

bool priority_option_decode(Term list, bool *is_priority) {
    *is_priority = false;
    for (; is_list(list) && list_head(list) == am_priority; list = list_tail(list))
        *is_priority = true;
    return is_nil(list);
}

size_t virtual_words_step(size_t words) {
    return words < HEAP_DEFAULT_VIRTUAL_WORDS ? HEAP_DEFAULT_VIRTUAL_WORDS : heap_step(words);
}

static bool size_decode(Term t, size_t *size) {
    if (!is_small_within(t, 0, STOCK_SMALL_MAX))
        return false;
    *size = (size_t)small_value(t);
    return true;
}

static bool reply_decode(Term value, SpawnReply *reply) {
    if (value != am_yes && value != am_no && value != am_success_only && value != am_error_only)
        return false;
    reply->on_success = value == am_yes || value == am_success_only;
    reply->on_error = value == am_yes || value == am_error_only;
    return true;
}

static bool pair_decode(Term key, Term value, SpawnOptions *o, SpawnReply *reply) {
    size_t size;
    if (key == am_priority)
        return priority_decode(value, &o->priority);
    if (key == am_scheduler)
        return scheduler_decode(value, &o->bound_queue);
    if (key == am_monitor) {
        o->monitor = true;
        return monitor_options_decode(value, am_DOWN, &o->monitor_options);
    }
    if (key == am_link && release_has(RELEASE_PRIORITY_MESSAGES)) {
        o->link = true;
        return priority_option_decode(value, &o->link_is_priority);
    }
    if (key == am_message_queue_data) {
        o->off_heap = value == am_off_heap;
        return value == am_off_heap || value == am_on_heap;
    }
    if (key == am_async_dist && release_has(RELEASE_ASYNC_DIST)) {
        o->async_dist = value == am_true;
        return value == am_true || value == am_false;
    }
    if (key == am_max_heap_size)
        return max_heap_size_decode(value, &o->max_heap_words, &o->max_heap_flags);
    if (key == am_reply && reply)
        return reply_decode(value, reply);
    if (key == am_reply_tag && reply) {
        reply->tag = value;
        return true;
    }
    if (!size_decode(value, &size))
        return false;
    if (key == am_min_heap_size)
        o->min_heap_words = heap_step(size < HEAP_DEFAULT_WORDS ? HEAP_DEFAULT_WORDS : size);
    else if (key == am_min_bin_vheap_size)
        o->min_virtual_words = virtual_words_step(size);
    else if (key == am_fullsweep_after)
        o->fullsweep_after = size > UINT16_MAX ? UINT16_MAX : (uint16_t)size;
    else
        return false;
    return true;
}

SpawnOptionsResult spawn_options_decode(Term list, SpawnOptions *o, SpawnReply *reply) {
    spawn_options_init(o);
    o->given = list;
    if (reply)
        *reply = (SpawnReply){am_spawn_reply, true, true};
    bool good = true; /* what comes after a bad one may say how that is told */
    for (; is_list(list); list = list_tail(list)) {
        Term option = list_head(list);
        if (option == am_link)
            o->link = true;
        else if (option == am_monitor)
            o->monitor = true;
        else if (!is_tuple_arity(option, 2) ||
                 !pair_decode(tuple_elements(option)[0], tuple_elements(option)[1], o, reply))
            good = false;
    }
    if (!is_nil(list))
        return SPAWN_OPTIONS_NO_LIST;
    good = good && (o->max_heap_words == 0 || o->max_heap_words >= o->min_heap_words);
    return good ? SPAWN_OPTIONS_OK : SPAWN_OPTIONS_BAD;
}

/* NON_VALUE with the failure set: badarg, or system_limit for too many processes. */
static Term spawn(Process *p, Term module, Term function, Term arguments, const SpawnOptions *o) {
    if (!is_atom(module) || !is_atom(function) || list_length(arguments) < 0)
        return fail_badarg(p);
    SpawnAnswer answer;
    Term pid = process_spawn(p, module, function, arguments, o, &answer);
    process_bump(p, COST_OF_SPAWN);
    if (!is_value(pid))
        return fail_system_limit(p);
    return o->monitor ? area_tuple2(process_area(p), pid, answer.reference) : pid;
}

static Term spawn_plain(Process *p, Term module, Term function, Term arguments, bool link, bool monitor) {
    SpawnOptions o;
    spawn_options_init(&o);
    o.link = link;
    o.monitor = monitor;
    if (link || monitor)
        o.given = area_cons(process_area(p), link ? am_link : am_monitor, NIL);
    return spawn(p, module, function, arguments, &o);
}

/* A fun runs as erlang:apply(Fun, []). */
static Term spawn_fun(Process *p, Term fun, bool link, bool monitor) {
    if (!is_fun(fun))
        return fail_badarg(p);
    Term arguments = area_cons(process_area(p), fun, area_cons(process_area(p), NIL, NIL));
    return spawn_plain(p, am_erlang, am_apply, arguments, link, monitor);
}

Term erlang_spawn_1(Process *p, const Term *a) { return spawn_fun(p, a[0], false, false); }
Term erlang_spawn_link_1(Process *p, const Term *a) { return spawn_fun(p, a[0], true, false); }
Term erlang_spawn_monitor_1(Process *p, const Term *a) { return spawn_fun(p, a[0], false, true); }
Term erlang_spawn_3(Process *p, const Term *a) { return spawn_plain(p, a[0], a[1], a[2], false, false); }
Term erlang_spawn_link_3(Process *p, const Term *a) { return spawn_plain(p, a[0], a[1], a[2], true, false); }
Term erlang_spawn_monitor_3(Process *p, const Term *a) { return spawn_plain(p, a[0], a[1], a[2], false, true); }

static Term spawn_opt(Process *p, Term module, Term function, Term arguments, Term options) {
    SpawnOptions o;
    if (spawn_options_decode(options, &o, NULL) != SPAWN_OPTIONS_OK)
        return fail_badarg_cause(p, am_badopt);
    return spawn(p, module, function, arguments, &o);
}

Term erlang_spawn_opt_4(Process *p, const Term *a) { return spawn_opt(p, a[0], a[1], a[2], a[3]); }

Term erlang_spawn_opt_2(Process *p, const Term *a) {
    if (!is_fun(a[0]))
        return fail_badarg(p);
    Term arguments = area_cons(process_area(p), a[0], area_cons(process_area(p), NIL, NIL));
    return spawn_opt(p, am_erlang, am_apply, arguments, a[1]);
}

/* The answer comes as a message, in the form that distribution needs. */
static void send_error(Process *p, const SpawnReply *reply, Term reference, Term reason) {
    if (!reply->on_error)
        return;
    Term tuple = area_tuple4(process_area(p), reply->tag, reference, am_error, reason);
    signal_send_or_drop(p->pid, &message_create(tuple, NON_VALUE, TOKEN_OF_RUNTIME)->signal);
}

/* What is wrong with an option is told by the reply, like all that may go wrong later. */
Term erts_internal_spawn_request_4(Process *p, const Term *a) {
    SpawnOptions o;
    SpawnReply reply;
    if (!is_atom(a[0]) || !is_atom(a[1]) || list_length(a[2]) < 0)
        return am_badarg;
    SpawnOptionsResult decoded = spawn_options_decode(a[3], &o, &reply);
    if (decoded == SPAWN_OPTIONS_NO_LIST)
        return am_badopt;
    Term pid = NON_VALUE;
    SpawnAnswer answer = {NON_VALUE, NIL};
    o.is_request = true;
    o.replies = reply.on_success;
    o.reply_tag = reply.tag;
    if (decoded == SPAWN_OPTIONS_OK)
        pid = process_spawn(p, a[0], a[1], a[2], &o, &answer);
    process_bump(p, COST_OF_SPAWN);
    if (is_value(pid))
        return answer.reference;
    Term reference = reference_new(process_area(p));
    send_error(p, &reply, reference, decoded == SPAWN_OPTIONS_OK ? am_system_limit : am_badopt);
    return reference;
}

/* No other node can be reached: the reply says so. For spawn_opt the answer is {Ref, IsMonitor}. */
Term erts_internal_dist_spawn_request_4(Process *p, const Term *a) {
    SpawnOptions o;
    SpawnReply reply;
    bool good = is_atom(a[0]) && is_tuple_arity(a[1], 3) && is_atom(tuple_elements(a[1])[0]) &&
                is_atom(tuple_elements(a[1])[1]) && list_length(tuple_elements(a[1])[2]) >= 0;
    SpawnOptionsResult decoded = spawn_options_decode(a[2], &o, &reply);
    if (!good || decoded == SPAWN_OPTIONS_NO_LIST)
        return am_badarg;
    if (a[3] == am_spawn_opt)
        reply = (SpawnReply){am_spawn_reply, true, true};
    Term reference = reference_new(process_area(p));
    send_error(p, &reply, reference, decoded == SPAWN_OPTIONS_OK ? am_noconnection : am_badopt);
    if (a[3] != am_spawn_opt)
        return reference;
    return area_tuple2(process_area(p), reference, bool_term(o.monitor));
}

/* Requests of this node are answered before anyone could abandon them. */
Term erlang_spawn_request_abandon_1(Process *p, const Term *a) { return is_ref(a[0]) ? am_false : fail_badarg(p); }

Term erts_internal_spawn_system_process_3(Process *p, const Term *a) {
    SpawnOptions o;
    spawn_options_init(&o);
    o.is_system = true;
    return spawn(p, a[0], a[1], a[2], &o);
}
