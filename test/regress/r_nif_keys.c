/* More keys of data in threads than the system has of its own; each value is seen by its thread alone. (What a key holds
 * that is made in the place of another, stock leaves open.) */
#include <erl_nif.h>

#define KEYS 3000
#define THREADS 3

static ErlNifTSDKey keys[KEYS];

static void *in_thread(void *data) {
    char *own = data;
    long wrong = 0;
    for (int i = KEYS - 1; i >= 0; i--)
        enif_tsd_set(keys[i], own + i);
    for (int i = 0; i < KEYS; i++)
        wrong += enif_tsd_get(keys[i]) != own + i;
    return (void *)wrong;
}

/* {Failed, Wrong}: keys that could not be made; values that were not what they should be. */
static ERL_NIF_TERM try_keys(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    static char own[THREADS + 1][KEYS];
    ErlNifTid threads[THREADS];
    long failed = 0, wrong = 0;
    for (int i = 0; i < KEYS; i++)
        failed += enif_tsd_key_create("key", &keys[i]) != 0;
    if (failed == 0) {
        wrong += (long)in_thread(own[THREADS]);
        for (int i = 0; i < THREADS; i++)
            enif_thread_create("own", &threads[i], in_thread, own[i], NULL);
        for (int i = 0; i < THREADS; i++) {
            void *result;
            enif_thread_join(threads[i], &result);
            wrong += (long)result;
        }
        for (int i = 0; i < KEYS; i++)
            wrong += enif_tsd_get(keys[i]) != own[THREADS] + i;
        for (int i = 0; i < KEYS; i++)
            enif_tsd_key_destroy(keys[i]);
    }
    return enif_make_tuple2(env, enif_make_long(env, failed), enif_make_long(env, wrong));
}

static ErlNifFunc functions[] = {{"try_keys", 0, try_keys, 0}};
ERL_NIF_INIT(r_nif_keys, functions, NULL, NULL, NULL, NULL)
