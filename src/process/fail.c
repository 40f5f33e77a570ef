#include "process/fail.h"

#include "process/process.h"
#include "term/atom.h"

Term fail_value(Process *p, FailReason reason, Term value) {
    Fail *f = &p->fail;
    *f = (Fail){0};
    f->reason = reason;
    f->value = value;
    f->class = f->trace = f->cause = f->arguments = f->error_info = f->info_module = NON_VALUE;
    return NON_VALUE;
}

Term fail_with(Process *p, FailReason reason) { return fail_value(p, reason, NON_VALUE); }
Term fail_badarg(Process *p) { return fail_with(p, FAIL_BADARG); }
Term fail_badarith(Process *p) { return fail_with(p, FAIL_BADARITH); }
Term fail_system_limit(Process *p) { return fail_with(p, FAIL_SYSTEM_LIMIT); }

Term fail_badarg_cause(Process *p, Term cause) {
    fail_badarg(p);
    p->fail.cause = cause;
    return NON_VALUE;
}

Term fail_for(Process *p, const struct Export *call, Term arguments) {
    p->fail.call = call;
    p->fail.arguments = arguments;
    return NON_VALUE;
}

static Term trap_with(Process *p, FailReason reason, struct Export *to, unsigned arity, const Term *arguments) {
    require(arity <= TRAP_ARGUMENTS_MAX);
    p->fail.reason = reason;
    p->fail.trap = to;
    p->fail.trap_arity = arity;
    for (unsigned i = 0; i < arity; i++)
        p->fail.trap_arguments[i] = arguments[i];
    return NON_VALUE;
}

Term bif_return_later(Process *p, Term result) { return fail_value(p, FAIL_YIELD, result); }

Term bif_return_collected(Process *p, Term result, CollectKind kind) {
    fail_value(p, FAIL_COLLECT, result);
    p->fail.collect = kind;
    return NON_VALUE;
}

Term bif_with_room(Process *p, size_t words) {
    fail_with(p, FAIL_ROOM);
    p->fail.room = words;
    return NON_VALUE;
}

Term bif_trap(Process *p, struct Export *to, unsigned arity, const Term *arguments) {
    return trap_with(p, FAIL_TRAP, to, arity, arguments);
}

Term bif_yield(Process *p, struct Export *to, unsigned arity, const Term *arguments) {
    return trap_with(p, FAIL_YIELD_TRAP, to, arity, arguments);
}
