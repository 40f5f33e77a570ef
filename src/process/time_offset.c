#include "process/time_offset.h"

#include "alloc/alloc.h"
#include "process/clock.h"
#include "process/message.h"
#include "process/reference.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/integer.h"

#define CHANGE_WORDS (6 + PID_REF_WORDS + 3)

typedef struct {
    KeyNode node; /* by the monitor's reference */
    Term pid, alias_pid;
} Watch;

static Mutex lock = MUTEX_INITIALIZER(LOCK_TIME_OFFSET);
static KeyTable watches;

void time_offset_watch(uint64_t key, Term pid, Term alias_pid) {
    Watch *w = mem_alloc(ALLOC_LINK, sizeof *w);
    *w = (Watch){{NULL, key}, pid, alias_pid};
    mutex_lock(&lock);
    key_table_add(&watches, &w->node);
    mutex_unlock(&lock);
}

void time_offset_unwatch(uint64_t key) {
    mutex_lock(&lock);
    KeyNode *node = key_table_remove(&watches, key);
    mutex_unlock(&lock);
    mem_free(ALLOC_LINK, node);
}

/* The tag is put in by who receives it (monitor_down). */
static Message *change(const Watch *w) {
    Area area;
    Fragment *f = message_area_begin(&area, CHANGE_WORDS);
    Term *e = area_alloc(&area, 6);
    e[0] = header_make(KIND_TUPLE, 5);
    e[1] = am_CHANGE;
    e[2] = is_value(w->alias_pid) ? reference_alias(&area, w->node.key, w->alias_pid)
                                  : reference_of_key(&area, w->node.key);
    e[3] = am_time_offset;
    e[4] = am_clock_service;
    e[5] = integer_from_int64(&area, time_offset());
    message_area_end(&area, f);
    Message *m = message_create_with(boxed_make(e), f, NON_VALUE);
    m->signal.kind = SIGNAL_DOWN;
    m->token = TOKEN_OF_RUNTIME;
    m->key = w->node.key;
    return m;
}

static void tell(KeyNode *node, void *data) {
    const Watch *w = container_of(node, Watch, node);
    signal_send_or_drop(w->pid, &change(w)->signal);
}

void time_offset_tell(void) {
    mutex_lock(&lock);
    key_table_each(&watches, tell, NULL);
    mutex_unlock(&lock);
}
