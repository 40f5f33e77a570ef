#include "process/signal.h"

#include "base/race_window.h"
#include "process/actor.h"
#include "process/port_table.h"
#include "process/run_queue.h"

/*
 * The compare and swap is sequentially consistent, as is the load of `state` behind it: the receiver, when it leaves,
 * writes `state` and then looks at the list. So either the pusher sees that it sleeps, and wakes it, or it sees the
 * signal itself (test/model/m_signals.c). Only who makes the list non-empty wakes: who finds it full knows that
 * somebody has, or is about to, and that the receiver has not taken the list since.
 */
static inline bool push(Process *to, Signal *signal, void add(Process *p)) {
    Signal *head = atomic_load_explicit(&to->signals_in, memory_order_relaxed);
    do {
        if (head == SIGNALS_CLOSED)
            return false;
        signal->next = head;
    } while (!atomic_compare_exchange_weak(&to->signals_in, &head, signal));
    if (head == NULL && process_set_queued(to))
        add(to);
    return true;
}

bool signal_push(Process *to, Signal *signal) { return push(to, signal, run_queue_add); }

bool signal_push_beside(Process *to, Signal *signal) { return push(to, signal, run_queue_add_beside); }

bool signal_push_asking(Process *to, Signal *signal, unsigned priority) {
    if (!push(to, signal, run_queue_add))
        return false;
    race_window("a question is put, its urgency not told");
    process_raise_priority(to, (Priority)priority);
    return true;
}

bool signal_ask(const Process *p, Term pid, Signal *signal) {
    Process *to = actor_find(pid);
    return to && signal_push_asking(to, signal, process_priority(p));
}

bool signal_send(Term pid, Signal *signal) {
    Process *to = actor_find(pid);
    race_window("a process is found, and not yet told");
    return to && push(to, signal, run_queue_add);
}

bool signal_send_beside(Term pid, Signal *signal) {
    Process *to = actor_find(pid);
    return to && push(to, signal, run_queue_add_beside);
}

bool signal_tell(Process *p, Term pid, Signal *signal) {
    Process *to = actor_find(pid);
    race_window("a process is found, and not yet told");
    if (to == NULL)
        return false;
    return unlikely(to->body != NULL) ? to->body->tell(to, p, signal) : push(to, signal, run_queue_add);
}
