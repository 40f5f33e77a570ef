#include "base/visitor.h"

#include <pthread.h>

#include "base/thread_progress.h"

static pthread_key_t registered_key;

static void thread_ends(void *registered) { thread_progress_unregister(); }
void visitors_init(void) { require(pthread_key_create(&registered_key, thread_ends) == 0); }

static noinline void register_thread(void) {
    pthread_setspecific(registered_key, &registered_key);
    thread_progress_be_guest();
    thread_progress_register();
    thread_progress_offline();
}

void visitor_know_thread(void) {
    if (unlikely(!thread_progress_is_registered()))
        register_thread();
}

void visitor_enter(void) {
    visitor_know_thread();
    thread_progress_enter();
}

void visitor_leave(void) { thread_progress_leave(); }
