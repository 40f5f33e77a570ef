/*
 * The environment, the process number and the performance counter of the operating system. Source: os(3).
 *
 * Names and values are lists of characters here, or of such lists, and native texts there (sys/native_text.h).
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bif/argument.h"
#include "bif_table.h"
#include "sys/clock.h"
#include "sys/environment.h"
#include "sys/native_text.h"
#include "term/atom.h"

static Term characters(Process *p, const char *text, size_t bytes) {
    return list_from_native(process_area(p), text, bytes);
}

static bool variable_name(Text *to, Term list) {
    return native_from_characters(to, list) && memchr(to->bytes, '=', to->size) == NULL;
}

Term os_getenv_1(Process *p, const Term *a) {
    TEXT(name);
    if (!variable_name(&name, a[0]))
        return fail_badarg(p);
    mutex_lock(&environment_lock);
    const char *value = getenv(text_cstring(&name));
    Term result = value ? characters(p, value, strlen(value)) : am_false;
    mutex_unlock(&environment_lock);
    return result;
}

/* The system has no variable without a name: setting one does nothing, and is no error. */
Term os_putenv_2(Process *p, const Term *a) {
    TEXT(name);
    TEXT(value);
    if (!variable_name(&name, a[0]) || !native_from_characters(&value, a[1]))
        return fail_badarg(p);
    mutex_lock(&environment_lock);
    setenv(text_cstring(&name), text_cstring(&value), 1);
    mutex_unlock(&environment_lock);
    return am_true;
}

Term os_unsetenv_1(Process *p, const Term *a) {
    TEXT(name);
    if (!variable_name(&name, a[0]))
        return fail_badarg(p);
    mutex_lock(&environment_lock);
    unsetenv(text_cstring(&name));
    mutex_unlock(&environment_lock);
    return am_true;
}

Term os_env_0(Process *p, const Term *a) {
    Term list = NIL;
    mutex_lock(&environment_lock);
    for (char **entry = environ; entry && *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        if (!equals)
            continue;
        Term name = characters(p, *entry, (size_t)(equals - *entry));
        Term value = characters(p, equals + 1, strlen(equals + 1));
        list = area_cons(process_area(p), area_tuple2(process_area(p), name, value), list);
    }
    mutex_unlock(&environment_lock);
    return list;
}

Term os_getpid_0(Process *p, const Term *a) {
    TEXT(text);
    text_format(&text, "%d", (int)getpid());
    return list_from_bytes(process_area(p), text.bytes, text.size, NIL);
}

Term os_perf_counter_0(Process *p, const Term *a) { return small_make(clock_monotonic()); }

Term erts_internal_perf_counter_unit_0(Process *p, const Term *a) { return small_make(NANOSECONDS_PER_SECOND); }

Term file_native_name_encoding_0(Process *p, const Term *a) { return native_text.is_latin1 ? am_latin1 : am_utf8; }
