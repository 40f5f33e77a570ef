/*
 * Pids, ports, references and funs: from and to text, and what a fun tells about itself.
 * Source: erlang(3) pid_to_list/1, list_to_pid/1, fun_info/2, make_fun/3 and neighbours.
 */
#include "bif/argument.h"
#include "bif_table.h"
#include "code/export.h"
#include "process/reference.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/fun.h"
#include "term/integer.h"
#include "term/iolist.h"
#include "term/magic_table.h"
#include "term/node.h"
#include "term/print.h"

typedef void Printer(Text *to, Term t);
typedef Term Parser(Area *area, const char *text, size_t length);

static Term printed(Process *p, Term t, Printer *print) {
    TEXT(text);
    print(&text, t);
    return list_from_utf8(process_area(p), (const uint8_t *)text.bytes, text.size);
}

Term erlang_pid_to_list_1(Process *p, const Term *a) {
    return is_pid(a[0]) ? printed(p, a[0], print_pid) : fail_badarg(p);
}
Term erlang_port_to_list_1(Process *p, const Term *a) {
    return is_port(a[0]) ? printed(p, a[0], print_port) : fail_badarg(p);
}

Term erlang_ref_to_list_1(Process *p, const Term *a) {
    if (is_magic_ref(a[0]))
        magic_remember(magic_ref_binary(a[0])); /* list_to_ref/1 gives the same again */
    return is_ref(a[0]) ? printed(p, a[0], print_ref) : fail_badarg(p);
}

/* Names are written in UTF-8, and the list has those bytes: so does stock. */
Term erlang_fun_to_list_1(Process *p, const Term *a) {
    if (!is_fun(a[0]))
        return fail_badarg(p);
    TEXT(text);
    print_fun(&text, a[0]);
    return list_from_bytes(process_area(p), text.bytes, text.size, NIL);
}

static Term parsed(Process *p, Term list, Parser *parse) {
    TEXT(text);
    if (!text_from_latin1_list(&text, list))
        return fail_badarg(p);
    Term t = parse(process_area(p), text.bytes, text.size);
    return is_value(t) ? t : fail_badarg(p);
}

Term erlang_list_to_pid_1(Process *p, const Term *a) { return parsed(p, a[0], pid_parse); }
Term erlang_list_to_port_1(Process *p, const Term *a) { return parsed(p, a[0], port_parse); }
Term erlang_list_to_ref_1(Process *p, const Term *a) {
    Term ref = parsed(p, a[0], ref_parse);
    bool is_alias = is_value(ref) && is_local_ref(ref) && is_value(reference_alias_pid(ref));
    return is_alias && !reference_was_given(ref) ? fail_badarg(p) : ref; /* on stock no text has so many numbers */
}

/* What an external fun answers; NON_VALUE when there is no such item. */
static Term external_item(const Mfa *mfa, Term item) {
    switch (item) {
    case am_module: return mfa->module;
    case am_name: return mfa->function;
    case am_arity: return small_make(mfa->arity);
    case am_type: return am_external;
    case am_env: return NIL;
    case am_index:
    case am_new_index:
    case am_new_uniq:
    case am_uniq:
    case am_pid:
    case am_refc: return am_undefined;
    default: return NON_VALUE;
    }
}

static Term fun_environment(Process *p, const Fun *fun, size_t count) {
    Term list = NIL;
    for (size_t i = count; i-- > 0;)
        list = area_cons(process_area(p), fun->env[i], list);
    return list;
}

/* Known only while there is code with the fun. */
static Term name_of(const FunEntry *entry) {
    if (!fun_address_is_code(__atomic_load_n(&entry->address, __ATOMIC_ACQUIRE)))
        return NIL;
    return atomic_load_explicit(&entry->name, memory_order_relaxed);
}

static Term local_item(Process *p, Term t, Term item) {
    const Fun *fun = fun_ptr(t);
    const FunEntry *entry = fun->entry;
    switch (item) {
    case am_module: return entry->module;
    case am_name: return name_of(entry);
    case am_arity: return small_make(entry->arity);
    case am_type: return am_local;
    case am_refc: return small_make(atomic_load_explicit(&fun->entry->refc, memory_order_relaxed));
    case am_env: return fun_environment(p, fun, fun_free_count(t));
    case am_index: return small_make(entry->old_index);
    case am_new_index: return small_make(entry->index);
    case am_uniq: return small_make((int32_t)entry->old_uniq);
    case am_new_uniq: return binary_from_bytes(process_area(p), entry->uniq, sizeof entry->uniq);
    case am_pid: return fun_creator(fun);
    default: return NON_VALUE;
    }
}

Term erlang_fun_info_2(Process *p, const Term *a) {
    if (!is_fun(a[0]))
        return fail_badarg(p);
    Term value = is_local_fun(a[0]) ? local_item(p, a[0], a[1]) : external_item(export_fun_mfa(a[0]), a[1]);
    return is_value(value) ? area_tuple2(process_area(p), a[1], value) : fail_badarg(p);
}

Term erlang_fun_info_mfa_1(Process *p, const Term *a) {
    if (!is_fun(a[0]))
        return fail_badarg(p);
    if (is_local_fun(a[0])) {
        const FunEntry *entry = fun_ptr(a[0])->entry;
        return area_tuple3(process_area(p), entry->module, name_of(entry), small_make(entry->arity));
    }
    const Mfa *mfa = export_fun_mfa(a[0]);
    return area_tuple3(process_area(p), mfa->module, mfa->function, small_make(mfa->arity));
}

Term erlang_make_fun_3(Process *p, const Term *a) {
    if (!is_atom(a[0]) || !is_atom(a[1]) || !is_small_within(a[2], 0, 255))
        return fail_badarg(p);
    ExportFun *fun = (ExportFun *)area_alloc(process_area(p), 2);
    fun->header = header_make(KIND_EXPORT_FUN, 1);
    fun->export = export_put(a[0], a[1], (unsigned)small_value(a[2]));
    return boxed_make(fun);
}
