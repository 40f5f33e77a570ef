/*
 * Data of libraries in threads, one value for each key. Source: erl_nif(3), erl_driver(3).
 *
 * There may be as many keys as memory holds, more than the system has of its own. A key is a place in the table of
 * keys, whose generation rises when the key is destroyed. A thread has a table of its own of what it has set, each with
 * the generation of its key: so a fresh key holds NULL in every thread, however often its place was used before, and
 * nobody walks the threads. The blocks of the table of keys never move: generations are read without the lock.
 */
#include "nif/env.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "alloc/alloc.h"
#include "nif/locks.h"
#include "sys/thread.h"

#define KEYS_IN_BLOCK 1024
#define BLOCKS_MAX 32768
typedef struct {
    _Atomic uint32_t generation;
    int next_free; /* place, plus one; under the lock */
} Key;

static Mutex lock = MUTEX_INITIALIZER(LOCK_NIF_KEYS);
static _Atomic(Key *) blocks[BLOCKS_MAX];
static int first_free, key_count; /* under the lock */

typedef struct {
    uint32_t generation;
    void *value;
} Value;
typedef struct {
    size_t count;
    Value values[];
} ThreadData;
static __thread ThreadData *mine;
static pthread_key_t end_of_thread;

static void free_mine(void *data) {
    mine = NULL;
    mem_free(ALLOC_NIF, data);
}
void nif_thread_data_init(void) { require(pthread_key_create(&end_of_thread, free_mine) == 0); }

static Key *key_at(ErlNifTSDKey key) {
    return &atomic_load_explicit(&blocks[key / KEYS_IN_BLOCK], memory_order_acquire)[key % KEYS_IN_BLOCK];
}

/* -1: no more can be told apart. */
static int new_place(void) {
    if (key_count == KEYS_IN_BLOCK * BLOCKS_MAX)
        return -1;
    if (key_count % KEYS_IN_BLOCK == 0)
        atomic_store_explicit(&blocks[key_count / KEYS_IN_BLOCK], mem_calloc(ALLOC_NIF, KEYS_IN_BLOCK * sizeof(Key)),
                              memory_order_release);
    atomic_store_explicit(&key_at(key_count)->generation, 1, memory_order_relaxed);
    return key_count++;
}

int enif_tsd_key_create(char *name, ErlNifTSDKey *key) {
    mutex_lock(&lock);
    int place = first_free - 1;
    if (place >= 0)
        first_free = key_at(place)->next_free;
    else
        place = new_place();
    mutex_unlock(&lock);
    if (place < 0)
        return EAGAIN;
    *key = place;
    return 0;
}

void enif_tsd_key_destroy(ErlNifTSDKey key) {
    mutex_lock(&lock);
    atomic_fetch_add_explicit(&key_at(key)->generation, 1, memory_order_relaxed);
    key_at(key)->next_free = first_free;
    first_free = key + 1;
    mutex_unlock(&lock);
}

static uint32_t generation_of(ErlNifTSDKey key) {
    return atomic_load_explicit(&key_at(key)->generation, memory_order_relaxed);
}

static void make_room(size_t count) {
    size_t old = mine != NULL ? mine->count : 0, wanted = 2 * old < count ? count : 2 * old;
    ThreadData *larger = mem_calloc(ALLOC_NIF, sizeof *larger + wanted * sizeof(Value));
    larger->count = wanted;
    if (mine != NULL)
        memcpy(larger->values, mine->values, old * sizeof(Value));
    mem_free(ALLOC_NIF, mine);
    mine = larger;
    pthread_setspecific(end_of_thread, mine);
}

void enif_tsd_set(ErlNifTSDKey key, void *data) {
    if (mine == NULL || mine->count <= (size_t)key)
        make_room((size_t)key + 1);
    mine->values[key] = (Value){generation_of(key), data};
}

void *enif_tsd_get(ErlNifTSDKey key) {
    if (mine == NULL || mine->count <= (size_t)key || mine->values[key].generation != generation_of(key))
        return NULL;
    return mine->values[key].value;
}
