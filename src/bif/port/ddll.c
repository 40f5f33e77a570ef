/*
 * Natives of the module erl_ddll: libraries of drivers. They open files, run the libraries' code, and wait for each
 * other, so on dirty threads. Source: erl_ddll(3); texts as OTP 25 answers.
 */
#include <string.h>

#include "alloc/alloc.h"
#include "base/visitor.h"
#include "bif/argument.h"
#include "bif/port/program.h"
#include "bif_table.h"
#include "port/library.h"
#include "port/library_file.h"
#include "process/message.h"
#include "process/reference.h"
#include "term/atom.h"
#include "term/iolist.h"

/* A name: an atom that is not empty, or an iolist; NULL: neither. */
static char *driver_text(Term t) {
    if (is_atom(t)) {
        const AtomName *name = atom_name(t);
        char *text = name->byte_count == 0 ? NULL : mem_calloc(ALLOC_PORT, name->byte_count + 1);
        if (text != NULL)
            memcpy(text, name->bytes, name->byte_count);
        return text;
    }
    int64_t bits = iolist_bits(t, false, NULL);
    if (bits < 0)
        return NULL;
    char *text = mem_calloc(ALLOC_PORT, (size_t)bits / 8 + 1);
    iolist_copy(t, (uint8_t *)text);
    return text;
}

static char *path_text(Term t) { return is_atom(t) ? NULL : native_string(t); }

/* --- options ------------------------------------------------------------------------------------------------------ */

static bool driver_options_decode(Term list, bool *kills_ports) {
    for (; is_list(list); list = list_tail(list)) {
        if (list_head(list) != am_kill_ports)
            return false;
        *kills_ports = true;
    }
    return is_nil(list);
}

static bool when_decode(Term value, LibraryWhen *when) {
    *when = value == am_pending ? WHEN_PENDING : WHEN_PENDING_DRIVER;
    return value == am_pending || value == am_pending_driver;
}

static bool load_option_decode(Term option, LibraryRequest *r) {
    if (!is_tuple_arity(option, 2))
        return false;
    Term value = tuple_elements(option)[1];
    switch (tuple_elements(option)[0]) {
    case am_driver_options: return driver_options_decode(value, &r->kills_ports);
    case am_monitor: return when_decode(value, &r->monitors);
    case am_reload: return when_decode(value, &r->reloads);
    default: return false;
    }
}

static bool unload_option_decode(Term option, LibraryRequest *r) {
    if (is_tuple_arity(option, 2) && tuple_elements(option)[0] == am_monitor)
        return when_decode(tuple_elements(option)[1], &r->monitors);
    r->kills_ports = true;
    return option == am_kill_ports;
}

static bool options_decode(Term list, LibraryRequest *r, bool decode(Term, LibraryRequest *)) {
    for (; is_list(list); list = list_tail(list))
        if (!decode(list_head(list), r))
            return false;
    return is_nil(list);
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

/* {ok, Status}, {ok, Status, Ref}, {error, Error} */
static Term answered(Process *p, const LibraryAnswer *a) {
    Area *area = process_area(p);
    if (!is_value(a->status))
        return area_tuple2(area, am_error, is_small(a->error) ? area_tuple2(area, am_open_error, a->error) : a->error);
    if (a->key == 0)
        return area_tuple2(area, am_ok, a->status);
    return area_tuple3(area, am_ok, a->status, reference_of_key(area, a->key));
}

static Term load(Process *p, const Term *a, char *path, char *name) {
    LibraryRequest r = {.pid = p->pid, .path = path, .name = name};
    if (path == NULL || name == NULL || !options_decode(a[2], &r, load_option_decode))
        return fail_badarg(p);
    LibraryAnswer answer = library_load(&r);
    return answered(p, &answer);
}

Term erl_ddll_try_load_3(Process *p, const Term *a) {
    char *path = path_text(a[0]), *name = driver_text(a[1]);
    Term result = load(p, a, path, name);
    mem_free(ALLOC_PORT, path);
    mem_free(ALLOC_PORT, name);
    return result;
}

Term erl_ddll_try_unload_2(Process *p, const Term *a) {
    char *name = driver_text(a[0]);
    LibraryRequest r = {.pid = p->pid, .name = name};
    if (name == NULL || !options_decode(a[1], &r, unload_option_decode)) {
        mem_free(ALLOC_PORT, name);
        return fail_badarg(p);
    }
    LibraryAnswer answer = library_unload(&r);
    mem_free(ALLOC_PORT, name);
    return answered(p, &answer);
}

Term erl_ddll_loaded_drivers_0(Process *p, const Term *a) {
    return area_tuple2(process_area(p), am_ok, library_names(process_area(p)));
}

Term erl_ddll_info_2(Process *p, const Term *a) {
    char *name = driver_text(a[0]);
    Term info = name == NULL ? NON_VALUE : library_info(name, a[1], process_area(p));
    mem_free(ALLOC_PORT, name);
    return is_value(info) ? info : fail_badarg(p);
}

/* --- monitors ----------------------------------------------------------------------------------------------------- */

static bool await_decode(Term when, LibraryAwait *await) {
    *await = when == am_loaded ? AWAIT_LOADED : when == am_unloaded ? AWAIT_UNLOADED : AWAIT_UNLOADED_ONLY;
    return when == am_loaded || when == am_unloaded || when == am_unloaded_only;
}

/* It is so already: the process hears it at once, with the name that it has given. */
static void tell_at_once(Process *p, Term reference, Term name, const LibraryAnswer *a) {
    Term elements[] = {a->error, reference, am_driver, name, a->status};
    Message *m = message_create(area_tuple(process_area(p), elements, array_length(elements)), NON_VALUE, NIL);
    m->token = TOKEN_OF_RUNTIME;
    visitor_enter();
    signal_send_or_drop(p->pid, &m->signal);
    visitor_leave();
}

static Term monitor(Process *p, Term name, const char *text, LibraryAwait await) {
    LibraryAnswer answer = library_monitor(p->pid, text, await);
    Term reference = reference_of_key(process_area(p), answer.key);
    if (is_value(answer.status))
        tell_at_once(p, reference, name, &answer);
    return reference;
}

Term erl_ddll_monitor_2(Process *p, const Term *a) {
    LibraryAwait await;
    if (a[0] != am_driver || !is_tuple_arity(a[1], 2) || !await_decode(tuple_elements(a[1])[1], &await))
        return fail_badarg(p);
    char *text = driver_text(tuple_elements(a[1])[0]);
    if (text == NULL)
        return fail_badarg(p);
    Term reference = monitor(p, tuple_elements(a[1])[0], text, await);
    mem_free(ALLOC_PORT, text);
    return reference;
}

Term erl_ddll_demonitor_1(Process *p, const Term *a) {
    if (!is_local_ref(a[0]))
        return fail_badarg(p);
    library_demonitor(p->pid, reference_key(a[0]));
    return am_true;
}

/* --- what errors say ---------------------------------------------------------------------------------------------- */

static const struct {
    Term error;
    const char *text;
} texts[] = {
    {am_inconsistent, "Driver name and/or driver options are inconsistent with currently loaded driver"},
    {am_linked_in_driver, "Driver is statically linked and cannot be loaded/unloaded"},
    {am_permanent, "DDLL driver is permanent an cannot be unloaded/loaded"},
    {am_not_loaded, "DDLL driver is not loaded"},
    {am_not_loaded_by_this_process, "DDLL driver was not loaded by this process"},
    {am_not_pending, "DDLL load not pending for this driver name"},
    {am_already_loaded, "DDLL driver is already loaded successfully"},
    {am_pending_process, "Driver is loaded by others when attempting option {reload, pending_driver}"},
    {am_pending_reload, "Driver reloading is already pending"},
    {am_no_driver_init, "No driver init in dynamic library"},
    {am_bad_driver_name, "Bad driver name"},
    {am_driver_init_failed, "Driver init failed"},
    {am_driver_incorrect_version, "Driver compiled with incorrect version of erl_driver.h"},
};

static const char *text_of(Term error) {
    for (size_t i = 0; i < array_length(texts); i++)
        if (texts[i].error == error)
            return texts[i].text;
    if (!is_tuple_arity(error, 2) || tuple_elements(error)[0] != am_open_error || !is_small(tuple_elements(error)[1]))
        return NULL;
    return library_open_error_text(small_value(tuple_elements(error)[1]));
}

Term erl_ddll_format_error_int_1(Process *p, const Term *a) {
    const char *text = text_of(a[0]);
    return text != NULL ? list_from_bytes(process_area(p), text, strlen(text), NIL) : fail_badarg(p);
}
