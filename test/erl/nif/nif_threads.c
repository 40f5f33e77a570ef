/* Threads, mutexes, conditions, read-write locks, thread-specific data. */
#include "nif_test.h"

static ErlNifMutex *lock;
static ErlNifCond *changed;
static ErlNifRWLock *shared;
static int turn, total, reads;

static void *times_two(void *data) {
    *(int *)data *= 2;
    return data;
}
static void *leaves(void *data) {
    *(int *)data += 1;
    enif_thread_exit(data);
    *(int *)data += 1000;
    return NULL;
}

/* Created with options or without, joined with a result or without. */
NIF(create) {
    int number = 21, stack = int_of(env, argv[0]);
    ErlNifTid a, b;
    void *result = NULL;
    ErlNifThreadOpts *opts = enif_thread_opts_create("options");
    if (!opts)
        return atom(env, "no_options");
    int suggested = opts->suggested_stack_size;
    opts->suggested_stack_size = stack;
    int first = enif_thread_create("doubles", &a, times_two, &number, opts);
    int joined = first ? first : enif_thread_join(a, &result);
    enif_thread_opts_destroy(opts);
    int second = enif_thread_create("leaves", &b, leaves, &number, NULL);
    int joined_too = second ? second : enif_thread_join(b, NULL);
    return enif_make_list7(env, enif_make_int(env, suggested), enif_make_int(env, first), enif_make_int(env, joined),
                           boolean(env, result == &number), enif_make_int(env, second), enif_make_int(env, joined_too),
                           enif_make_int(env, number));
}

typedef struct {
    ErlNifTid self;
    char name[32];
    int type, has_name, same;
} About;
static void *tells(void *data) {
    About *about = data;
    ErlNifTid self = enif_thread_self();
    char *name = enif_thread_name(self);
    about->self = self;
    about->has_name = name != NULL;
    snprintf(about->name, sizeof about->name, "%s", name ? name : "-");
    about->type = enif_thread_type();
    about->same = enif_equal_tids(self, enif_thread_self());
    return NULL;
}
NIF(identity) {
    About about, other;
    ErlNifTid a, b;
    enif_thread_create("a name", &a, tells, &about, NULL);
    enif_thread_create(NULL, &b, tells, &other, NULL);
    int before = enif_equal_tids(a, b), self = enif_equal_tids(a, enif_thread_self());
    enif_thread_join(a, NULL);
    enif_thread_join(b, NULL);
    ErlNifTid me = enif_thread_self();
    return enif_make_list9(env, string(env, about.name), string(env, other.name), enif_make_int(env, about.type),
                           boolean(env, about.same), boolean(env, before), boolean(env, self),
                           boolean(env, enif_equal_tids(about.self, a)), boolean(env, enif_equal_tids(me, me)),
                           boolean(env, enif_thread_name(me) != NULL));
}

NIF(names) {
    ErlNifMutex *m = enif_mutex_create("a mutex");
    ErlNifCond *c = enif_cond_create("a condition");
    ErlNifRWLock *r = enif_rwlock_create("a lock");
    ErlNifMutex *unnamed = enif_mutex_create(NULL);
    ErlNifCond *unnamed_too = enif_cond_create(NULL);
    ErlNifRWLock *unnamed_as_well = enif_rwlock_create(NULL);
    ERL_NIF_TERM list =
        enif_make_list6(env, string(env, enif_mutex_name(m)), string(env, enif_cond_name(c)),
                        string(env, enif_rwlock_name(r)), string(env, enif_mutex_name(unnamed)),
                        string(env, enif_cond_name(unnamed_too)), string(env, enif_rwlock_name(unnamed_as_well)));
    enif_mutex_destroy(m);
    enif_cond_destroy(c);
    enif_rwlock_destroy(r);
    enif_mutex_destroy(unnamed);
    enif_cond_destroy(unnamed_too);
    enif_rwlock_destroy(unnamed_as_well);
    return list;
}

typedef struct {
    int number, rounds;
} Player;

/* Each waits for its turn: condition and mutex. */
static void *plays(void *data) {
    Player *p = data;
    for (int i = 0; i < p->rounds; i++) {
        enif_mutex_lock(lock);
        while (turn % 3 != p->number)
            enif_cond_wait(changed, lock);
        turn++;
        total += p->number;
        if (i % 2)
            enif_cond_broadcast(changed);
        else {
            enif_cond_signal(changed);
            enif_cond_broadcast(changed);
        }
        enif_mutex_unlock(lock);
    }
    return NULL;
}
NIF(turns) {
    Player players[3];
    ErlNifTid threads[3];
    turn = total = 0;
    for (int i = 0; i < 3; i++) {
        players[i] = (Player){i, int_of(env, argv[0])};
        enif_thread_create("player", &threads[i], plays, &players[i], NULL);
    }
    for (int i = 0; i < 3; i++)
        enif_thread_join(threads[i], NULL);
    return enif_make_tuple2(env, enif_make_int(env, turn), enif_make_int(env, total));
}

static void *tries(void *data) {
    int *results = data;
    results[0] = enif_mutex_trylock(lock) != 0;
    results[1] = enif_rwlock_tryrlock(shared) != 0;
    if (!results[1])
        enif_rwlock_runlock(shared);
    results[2] = enif_rwlock_tryrwlock(shared) != 0;
    if (!results[2])
        enif_rwlock_rwunlock(shared);
    return NULL;
}
static ERL_NIF_TERM tried_by_another(ErlNifEnv *env) {
    int r[3] = {7, 7, 7};
    ErlNifTid thread;
    enif_thread_create("tries", &thread, tries, r, NULL);
    enif_thread_join(thread, NULL);
    if (!r[0])
        enif_mutex_unlock(lock);
    return enif_make_list3(env, enif_make_int(env, r[0]), enif_make_int(env, r[1]), enif_make_int(env, r[2]));
}
/* What another thread gets while this one holds nothing, the mutex, a read lock, a write lock. */
NIF(try_locks) {
    ERL_NIF_TERM results[6];
    enif_mutex_lock(lock);
    enif_rwlock_rlock(shared);
    results[0] = tried_by_another(env);
    enif_rwlock_runlock(shared);
    enif_rwlock_rwlock(shared);
    results[1] = tried_by_another(env);
    enif_rwlock_rwunlock(shared);
    results[2] = tried_by_another(env);
    enif_mutex_unlock(lock);
    int mine[] = {enif_mutex_trylock(lock), enif_rwlock_tryrwlock(shared)};
    results[3] = enif_make_tuple2(env, enif_make_int(env, mine[0]), enif_make_int(env, mine[1]));
    enif_rwlock_rwunlock(shared);
    enif_mutex_unlock(lock);
    results[4] = enif_make_int(env, enif_rwlock_tryrlock(shared));
    results[5] = enif_make_int(env, enif_rwlock_tryrlock(shared));
    enif_rwlock_runlock(shared);
    enif_rwlock_runlock(shared);
    return enif_make_list_from_array(env, results, 6);
}

static void *reads_and_writes(void *data) {
    Player *p = data;
    for (int i = 0; i < p->rounds; i++) {
        if (i % 10 == p->number) {
            enif_rwlock_rwlock(shared);
            total++;
            enif_rwlock_rwunlock(shared);
        } else {
            enif_rwlock_rlock(shared);
            __atomic_fetch_add(&reads, 1, __ATOMIC_RELAXED);
            enif_rwlock_runlock(shared);
        }
    }
    return NULL;
}
NIF(readers_and_writers) {
    Player players[4];
    ErlNifTid threads[4];
    total = reads = 0;
    for (int i = 0; i < 4; i++) {
        players[i] = (Player){i, int_of(env, argv[0])};
        enif_thread_create("reader", &threads[i], reads_and_writes, &players[i], NULL);
    }
    for (int i = 0; i < 4; i++)
        enif_thread_join(threads[i], NULL);
    return enif_make_tuple2(env, enif_make_int(env, total), enif_make_int(env, reads));
}

static ErlNifTSDKey key, other_key;
static void *own_data(void *data) {
    void *before = enif_tsd_get(key);
    enif_tsd_set(key, data);
    enif_tsd_set(other_key, &key);
    return before == NULL && enif_tsd_get(key) == data && enif_tsd_get(other_key) == &key ? data : NULL;
}
NIF(thread_data) {
    int values[4], good = 0, made;
    ErlNifTid threads[4];
    if ((made = enif_tsd_key_create("a key", &key)) || (made = enif_tsd_key_create("another key", &other_key)))
        return enif_make_int(env, made);
    int different = key != other_key, nothing = enif_tsd_get(key) == NULL;
    enif_tsd_set(key, &good);
    for (int i = 0; i < 4; i++)
        enif_thread_create("own data", &threads[i], own_data, &values[i], NULL);
    for (int i = 0; i < 4; i++) {
        void *result;
        enif_thread_join(threads[i], &result);
        good += result == &values[i];
    }
    int kept = enif_tsd_get(key) == &good;
    enif_tsd_set(key, NULL);
    int cleared = enif_tsd_get(key) == NULL;
    enif_tsd_key_destroy(key);
    enif_tsd_key_destroy(other_key);
    return enif_make_list6(env, enif_make_int(env, made), enif_make_int(env, different), enif_make_int(env, nothing),
                           enif_make_int(env, kept), enif_make_int(env, cleared), enif_make_int(env, good));
}
/* Keys are taken and given back many times. */
NIF(many_keys) {
    ErlNifTSDKey keys[20];
    int good = 0;
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 20; i++)
            if (enif_tsd_key_create("many", &keys[i]) == 0) {
                good += enif_tsd_get(keys[i]) == NULL;
                enif_tsd_set(keys[i], &keys[i]);
            }
        for (int i = 0; i < 20; i++) {
            good += enif_tsd_get(keys[i]) == &keys[i];
            enif_tsd_set(keys[i], NULL);
            enif_tsd_key_destroy(keys[i]);
        }
    }
    return enif_make_int(env, good);
}

NIF(many_threads) {
    int good = 0;
    for (int i = 0; i < int_of(env, argv[0]); i++) {
        int number = i;
        ErlNifTid thread;
        void *result = NULL;
        if (enif_thread_create("one of many", &thread, i % 2 ? times_two : leaves, &number, NULL))
            break;
        enif_thread_join(thread, &result);
        good += result == &number && number == (i % 2 ? 2 * i : i + 1);
    }
    return enif_make_int(env, good);
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    lock = enif_mutex_create("lock");
    changed = enif_cond_create("changed");
    shared = enif_rwlock_create("shared");
    return !lock || !changed || !shared;
}

static ErlNifFunc functions[] = {
    {"create", 1, create, 0},
    {"identity", 0, identity, 0},
    {"dirty_identity", 0, identity, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"names", 0, names, 0},
    {"turns", 1, turns, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"try_locks", 0, try_locks, 0},
    {"readers_and_writers", 1, readers_and_writers, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"thread_data", 0, thread_data, 0},
    {"many_keys", 0, many_keys, 0},
    {"many_threads", 1, many_threads, ERL_NIF_DIRTY_JOB_CPU_BOUND},
};
ERL_NIF_INIT(nif_threads, functions, load, NULL, NULL, NULL)
