/* Making processes: erlang:spawn and its relatives. */
#include "bif/process/process_options.h"

#include "bif/argument.h"
#include "bif_table.h"
#include "code/export.h"
#include "distribution/tell.h"
#include "process/link.h"
#include "process/reference.h"
#include "process/spawn_far.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/fun.h"
#include "term/map.h"

#define COST_OF_SPAWN 50

Term priority_term(Priority priority) {
    static const Term names[] = {am_max, am_high, am_normal, am_low};
    return names[priority];
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

static Term spawn_plain(Process *p, const Term *a, bool link) {
    SpawnOptions o;
    spawn_options_init(&o);
    o.link = link;
    if (link)
        o.given = area_cons(process_area(p), am_link, NIL);
    return spawn(p, a[0], a[1], a[2], &o);
}

Term erlang_spawn_3(Process *p, const Term *a) { return spawn_plain(p, a, false); }
Term erlang_spawn_link_3(Process *p, const Term *a) { return spawn_plain(p, a, true); }

Term erlang_spawn_opt_4(Process *p, const Term *a) {
    SpawnOptions o;
    if (spawn_options_decode(a[3], &o, NULL) != SPAWN_OPTIONS_OK)
        return fail_badarg_cause(p, am_badopt);
    return spawn(p, a[0], a[1], a[2], &o);
}

/* --- the others go on as calls of these three, as on stock: who traces them hears of each process --------------- */

static Term go_on(Process *p, Term name, unsigned arity, const Term *arguments) {
    return bif_trap(p, export_put(am_erlang, name, arity), arity, arguments);
}

/* A function, or {Module, Function}, which the new process finds to be none: it runs as erlang:apply(Fun, []). */
static bool may_be_applied(Term t) {
    return is_fun(t) || (is_tuple_arity(t, 2) && is_atom(tuple_elements(t)[0]) && is_atom(tuple_elements(t)[1]));
}

static Term apply_arguments(Process *p, Term fun) {
    return area_cons(process_area(p), fun, area_cons(process_area(p), NIL, NIL));
}

/* As the function of the same name with three arguments. */
static Term spawn_fun(Process *p, Term fun) {
    if (!may_be_applied(fun))
        return fail_badarg(p);
    return go_on(p, p->current_bif->function, 3, (Term[]){am_erlang, am_apply, apply_arguments(p, fun)});
}

Term erlang_spawn_1(Process *p, const Term *a) { return spawn_fun(p, a[0]); }
Term erlang_spawn_link_1(Process *p, const Term *a) { return spawn_fun(p, a[0]); }

static Term spawn_monitored(Process *p, Term module, Term function, Term arguments) {
    Term options = area_cons(process_area(p), am_monitor, NIL);
    return go_on(p, am_spawn_opt, 4, (Term[]){module, function, arguments, options});
}

Term erlang_spawn_monitor_1(Process *p, const Term *a) {
    if (!is_fun(a[0]) || fun_arity(a[0]) != 0)
        return fail_badarg(p);
    return spawn_monitored(p, am_erlang, am_apply, apply_arguments(p, a[0]));
}

Term erlang_spawn_monitor_3(Process *p, const Term *a) {
    if (!is_atom(a[0]) || !is_atom(a[1]) || !(is_list(a[2]) || is_nil(a[2])))
        return fail_badarg(p);
    return spawn_monitored(p, a[0], a[1], a[2]);
}

/* What is wrong with the options is a failure of this call, not of the one that it goes on as. */
Term erlang_spawn_opt_2(Process *p, const Term *a) {
    SpawnOptions o;
    if (!may_be_applied(a[0]))
        return fail_badarg(p);
    if (spawn_options_decode(a[1], &o, NULL) != SPAWN_OPTIONS_OK)
        return fail_badarg_cause(p, am_badopt);
    return go_on(p, am_spawn_opt, 4, (Term[]){am_erlang, am_apply, apply_arguments(p, a[0]), a[1]});
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

static bool is_call(Term t) {
    const Term *e = is_tuple_arity(t, 3) ? tuple_elements(t) : NULL;
    return e != NULL && is_atom(e[0]) && is_atom(e[1]) && list_length(e[2]) >= 0;
}

/* For spawn_opt the answer is {Ref, IsMonitor}, and a bad option fails; else the reply tells it, which knows of what
 * stood before that option. */
Term erts_internal_dist_spawn_request_4(Process *p, const Term *a) {
    bool is_request = a[3] != am_spawn_opt;
    Area *area = process_area(p);
    FarSpawnOptions o;
    if (!is_atom(a[0]) || !is_call(a[1]))
        return am_badarg;
    SpawnOptionsResult decoded = spawn_far_options_decode(area, a[2], is_request, &o);
    if (decoded == SPAWN_OPTIONS_NO_LIST || (decoded == SPAWN_OPTIONS_BAD && !is_request))
        return am_badarg;
    if (decoded == SPAWN_OPTIONS_BAD) {
        Term reference = reference_new(area);
        send_error(p, &o.reply, reference, am_badopt);
        return reference;
    }
    const Term *call = tuple_elements(a[1]);
    Term reference = spawn_far_request(p, a[0], call[0], call[1], call[2], &o);
    process_bump(p, COST_OF_SPAWN);
    Term result = is_request ? reference : area_tuple2(area, reference, bool_term(o.monitor));
    return tell_told(p, a[0], result, TELL_SPAWN);
}

/* Requests to this node are answered before anyone could abandon them. */
Term erlang_spawn_request_abandon_1(Process *p, const Term *a) {
    if (!is_ref(a[0]))
        return fail_badarg(p);
    return bool_term(is_local_ref(a[0]) && spawn_far_abandon(p, reference_key(a[0])));
}

Term erts_internal_spawn_system_process_3(Process *p, const Term *a) {
    SpawnOptions o;
    spawn_options_init(&o);
    o.is_system = true;
    return spawn(p, a[0], a[1], a[2], &o);
}
