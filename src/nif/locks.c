#include "nif/locks.h"

#include <pthread.h>

#include "alloc/alloc.h"
#include "nif/env.h"

struct ErlDrvMutex_ {
    pthread_mutex_t mutex;
    char name[];
};
struct ErlDrvCond_ {
    pthread_cond_t cond;
    char name[];
};
struct ErlDrvRWLock_ {
    pthread_rwlock_t lock;
    char name[];
};

/* A block with room for a name behind `size` bytes. */
static void *with_name(size_t size, const char *name) {
    size_t length = strlen(nif_name(name)) + 1;
    char *block = mem_alloc(ALLOC_NIF, size + length);
    memcpy(block + size, nif_name(name), length);
    return block;
}

/* NULL when the system has none left. */
static void *unless(int error, void *block) {
    if (!error)
        return block;
    mem_free(ALLOC_NIF, block);
    return NULL;
}

ErlNifMutex *enif_mutex_create(char *name) {
    ErlNifMutex *m = with_name(offsetof(ErlNifMutex, name), name);
    return unless(pthread_mutex_init(&m->mutex, NULL), m);
}

void enif_mutex_destroy(ErlNifMutex *m) {
    require(pthread_mutex_destroy(&m->mutex) == 0);
    mem_free(ALLOC_NIF, m);
}

void enif_mutex_lock(ErlNifMutex *m) { pthread_mutex_lock(&m->mutex); }
int enif_mutex_trylock(ErlNifMutex *m) { return pthread_mutex_trylock(&m->mutex); }
void enif_mutex_unlock(ErlNifMutex *m) { pthread_mutex_unlock(&m->mutex); }
char *enif_mutex_name(ErlNifMutex *m) { return m->name; }

ErlNifCond *enif_cond_create(char *name) {
    ErlNifCond *c = with_name(offsetof(ErlNifCond, name), name);
    return unless(pthread_cond_init(&c->cond, NULL), c);
}

void enif_cond_destroy(ErlNifCond *c) {
    require(pthread_cond_destroy(&c->cond) == 0);
    mem_free(ALLOC_NIF, c);
}

void enif_cond_signal(ErlNifCond *c) { pthread_cond_signal(&c->cond); }
void enif_cond_broadcast(ErlNifCond *c) { pthread_cond_broadcast(&c->cond); }
void enif_cond_wait(ErlNifCond *c, ErlNifMutex *m) { pthread_cond_wait(&c->cond, &m->mutex); }
char *enif_cond_name(ErlNifCond *c) { return c->name; }

ErlNifRWLock *enif_rwlock_create(char *name) {
    ErlNifRWLock *l = with_name(offsetof(ErlNifRWLock, name), name);
    return unless(pthread_rwlock_init(&l->lock, NULL), l);
}

void enif_rwlock_destroy(ErlNifRWLock *l) {
    require(pthread_rwlock_destroy(&l->lock) == 0);
    mem_free(ALLOC_NIF, l);
}

void enif_rwlock_rlock(ErlNifRWLock *l) { pthread_rwlock_rdlock(&l->lock); }
int enif_rwlock_tryrlock(ErlNifRWLock *l) { return pthread_rwlock_tryrdlock(&l->lock); }
void enif_rwlock_runlock(ErlNifRWLock *l) { pthread_rwlock_unlock(&l->lock); }
void enif_rwlock_rwlock(ErlNifRWLock *l) { pthread_rwlock_wrlock(&l->lock); }
int enif_rwlock_tryrwlock(ErlNifRWLock *l) { return pthread_rwlock_trywrlock(&l->lock); }
void enif_rwlock_rwunlock(ErlNifRWLock *l) { pthread_rwlock_unlock(&l->lock); }
char *enif_rwlock_name(ErlNifRWLock *l) { return l->name; }
