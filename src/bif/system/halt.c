/*
 * The end of the runtime, whatever other threads do; native libraries may ask to be told, or to be waited for. Source:
 * erlang(3) halt/0,1,2, without crash dumps: a string is printed on standard error, and the status is 1.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/leave.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "nif/option.h"
#include "process/request.h"
#include "term/atom.h"
#include "term/integer.h"

#define SLOGAN_MAX 1023 /* characters; what is longer is cut */

static bool leave_with_slogan(Term string) {
    TEXT(text);
    if (text_from_characters(&text, string, SIZE_MAX) != CHARACTERS_OK)
        return false;
    size_t size = text.size > SLOGAN_MAX ? SLOGAN_MAX : text.size;
    fprintf(stderr, "%.*s\n", (int)size, text.bytes);
    runtime_leave(1);
}

/* Options are a proper list of {flush, Boolean}; the last one counts: may native libraries have a say? */
static bool are_options(Term list, bool *flush) {
    for (; is_list(list); list = list_tail(list)) {
        Term option = list_head(list);
        if (!is_tuple_arity(option, 2) || tuple_elements(option)[0] != am_flush ||
            (tuple_elements(option)[1] != am_true && tuple_elements(option)[1] != am_false))
            return false;
        *flush = tuple_elements(option)[1] == am_true;
    }
    return list == NIL;
}

/* Another ends the program, with his status, as soon as libraries let him. */
static Term wait_for_the_end(Process *p) {
    request_begin(p);
    return request_wait(p);
}

/* An integer that is not negative, however large: its last byte. */
static bool is_exit_status(Term t, int *status) {
    if (!is_integer(t))
        return false;
    IntegerView v;
    integer_view(t, &v);
    *status = v.count == 0 ? 0 : (int)(v.limbs[0] & 0xff);
    return !v.negative;
}

static Term halt_with(Process *p, Term status, Term options) {
    bool flush = true;
    Term never;
    if (request_goes_on(p, &never))
        return never;
    if (!are_options(options, &flush))
        return fail_badarg_cause(p, am_badopt);
    int code;
    bool is_status = is_exit_status(status, &code);
    if (flush && is_status && !nif_halt())
        return wait_for_the_end(p);
    if (is_status)
        runtime_leave(code);
    if (status == am_abort)
        abort();
    if (status == NIL || is_list(status))
        leave_with_slogan(status);
    return fail_badarg(p);
}

Term erlang_halt_0(Process *p, const Term *a) { return halt_with(p, small_make(0), NIL); }
Term erlang_halt_1(Process *p, const Term *a) { return halt_with(p, a[0], NIL); }
Term erlang_halt_2(Process *p, const Term *a) { return halt_with(p, a[0], a[1]); }
