/*
 * What libraries ask of the machine and the runtime: versions, variables of the environment, other shared objects,
 * unique integers, options. Source: erl_nif(3), and what the stock runtime answers.
 */
#include "nif/env.h"

#include <dlfcn.h>
#include <errno.h>

#include "nif/library.h"
#include "nif/version.h"
#include "process/async_pool.h"
#include "process/reference.h"
#include "process/run_queue.h"
#include "sys/environment.h"
#include "sys/errno_name.h"
#include "sys/release.h"
#include "term/integer.h"
#include "term/text.h"

_Static_assert(NIF_MAJOR_VERSION == ERL_NIF_MAJOR_VERSION && NIF_MINOR_VERSION == ERL_NIF_MINOR_VERSION,
               "what is told is what the header says");

void enif_system_info(ErlNifSysInfo *to, size_t size) {
    ErlNifSysInfo info = {
        .driver_major_version = DRIVER_MAJOR_VERSION,
        .driver_minor_version = DRIVER_MINOR_VERSION,
        .erts_version = erts_version,
        .otp_release = otp_release,
        .thread_support = 1,
        .smp_support = 1,
        .async_threads = (int)async_pool_count(),
        .scheduler_threads = (int)run_queue_count(),
        .nif_major_version = NIF_MAJOR_VERSION,
        .nif_minor_version = NIF_MINOR_VERSION,
        .dirty_scheduler_support = 1,
    };
    memcpy(to, &info, size < sizeof info ? size : sizeof info);
}

/* 0, and the length; 1 when there is not enough room, -1 when there is no such variable: then the size is one less. */
int enif_getenv(const char *name, char *value, size_t *size) {
    int result = -1;
    size_t room = (*size)--;
    mutex_lock(&environment_lock);
    const char *found = getenv(name);
    if (found != NULL) {
        size_t length = strlen(found);
        result = length < room ? 0 : 1;
        if (result == 0) {
            memcpy(value, found, length + 1);
            *size = length;
        }
    }
    mutex_unlock(&environment_lock);
    return result;
}

/* Any combination; what the bits do not say is left open, as in erlang:unique_integer/1. */
ERL_NIF_TERM enif_make_unique_integer(ErlNifEnv *env, ErlNifUniqueInteger properties) {
    bool positive = properties & ERL_NIF_UNIQUE_POSITIVE;
    if (properties & ERL_NIF_UNIQUE_MONOTONIC)
        return unique_integer_monotonic(env->area, positive);
    return positive ? integer_from_uint64(env->area, unique_integer_next_positive())
                    : integer_from_int64(env->area, unique_integer_next());
}

typedef void ErrorHandler(void *, const char *);

static void say_error(ErrorHandler *handler, void *argument) {
    const char *text = dlerror();
    if (handler != NULL)
        handler(argument, text ? text : "unknown error");
}

/* `path` is without its extension. */
void *enif_dlopen(const char *path, ErrorHandler *handler, void *argument) {
    TEXT(file);
    text_string(&file, path);
    text_string(&file, ".so");
    void *library = dlopen(text_cstring(&file), RTLD_NOW);
    if (library == NULL)
        say_error(handler, argument);
    return library;
}

void *enif_dlsym(void *library, const char *symbol, ErrorHandler *handler, void *argument) {
    dlerror();
    void *found = dlsym(library, symbol);
    if (found == NULL)
        say_error(handler, argument);
    return found;
}

/* Declared in the drivers' header, which is not ours. */
char *erl_errno_id(int error);
char *erl_errno_id(int error) { return (char *)(uintptr_t)errno_name(error); }
