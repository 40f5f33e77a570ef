#include "distribution/lose.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "distribution/alive.h"
#include "distribution/node_watch.h"
#include "process/link.h"
#include "process/report.h"
#include "term/atom.h"
#include "term/print.h"
#include "term/text.h"

/* Under the lock. */
static bool leave_entry(Channel *c, bool only_pending) {
    uint32_t status = atomic_load(&c->status);
    if ((status & CHANNEL_ENDS) || (only_pending && (status & CHANNEL_UP)))
        return false;
    atomic_fetch_or(&c->status, CHANNEL_ENDS);
    atomic_store_explicit(&c->entry->channel, NULL, memory_order_release);
    c->entry->ending++;
    return true;
}

static bool lose(Channel *c, Term reason, bool only_pending) {
    entries_lock();
    bool is_lost = leave_entry(c, only_pending);
    entries_unlock();
    if (!is_lost)
        return false;
    race_window("a channel is lost, and does not know it yet");
    ChannelEnd *end = mem_alloc(ALLOC_SIGNAL, sizeof *end);
    signal_init(&end->signal, (SignalKind)CHANNEL_END);
    end->reason = kept_make(reason);
    require(channel_push(c, &end->signal)); /* its list is closed after that alone */
    return true;
}

bool channel_lose(Channel *c, Term reason) { return lose(c, reason, false); }
bool channel_give_up(Channel *c) { return lose(c, am_noconnection, true); }

static void end_controller(const Channel *c) {
    Term controller = c->controller;
    signal_send_or_drop(controller, &exit_signal_create(SIGNAL_EXIT, controller, am_kill)->signal);
}

static void lose_of(Entry *entry, void *data) {
    entries_lock();
    Channel *c = entry_channel(entry);
    if (c != NULL)
        channel_hold(c);
    entries_unlock();
    if (c == NULL)
        return;
    if (channel_lose(c, am_net_kernel_terminated) && channel_has_status(c, CHANNEL_UP))
        end_controller(c);
    channel_release(c);
}

bool channels_process_exit(Process *p, int64_t *reductions) {
    Term name = alive_end(p);
    if (is_value(name)) {
        node_watch_tell_this_down(name);
        entries_each(lose_of, NULL);
    }
    return true;
}

static void report(const Channel *c, const char *what) {
    TEXT(text);
    text_string(&text, "Connection to ");
    print_term(&text, channel_node(c));
    text_format(&text, " is closed: it sent %s\n", what);
    report_of_runtime(text_cstring(&text));
}

void channel_break(Channel *c, const char *what) {
    if (!channel_lose(c, am_killed))
        return;
    report(c, what);
    end_controller(c);
}

void channel_abandon(Channel *c) {
    if (channel_lose(c, am_killed) && channel_has_status(c, CHANNEL_UP))
        end_controller(c);
}
