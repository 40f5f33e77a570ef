/* Takes keys of thread-specific data as long as there are any, or 2,000. Then a thread of its own asks who it is, and
 * sends that. */
#include "../erl/nif/nif_test.h"

static ErlNifPid to;

static void *run(void *data) {
    ErlNifEnv *env = enif_alloc_env();
    enif_send(NULL, &to, env, string(env, enif_thread_name(enif_thread_self())));
    enif_free_env(env);
    return NULL;
}

NIF(thread_without_keys) {
    static ErlNifTSDKey keys[2000];
    int count = 0;
    while (count < 2000 && enif_tsd_key_create("one of many", &keys[count]) == 0)
        count++;
    ErlNifTid thread;
    enif_self(env, &to);
    int error = enif_thread_create("the thread", &thread, run, NULL, NULL);
    if (error == 0)
        enif_thread_join(thread, NULL);
    while (count-- > 0)
        enif_tsd_key_destroy(keys[count]);
    return enif_make_int(env, error);
}

static ErlNifFunc functions[] = {{"thread_without_keys", 0, thread_without_keys, ERL_NIF_DIRTY_JOB_IO_BOUND}};
ERL_NIF_INIT(r_no_keys_left, functions, NULL, NULL, NULL, NULL)
