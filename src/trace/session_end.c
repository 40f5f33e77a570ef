#include "trace/session_end.h"

#include "base/race_window.h"
#include "process/request.h"
#include "process/system_monitor.h"
#include "replace/code_permission.h"
#include "term/atom.h"
#include "trace/dropped.h"
#include "trace/pattern.h"
#include "trace/session.h"

static void say_the_end(CountedSession *c) {
    if (c->session.limit != NULL)
        dropped_say_ended(&c->session, c->reason);
    if (is_value(c->asker))
        request_reply(c->asker, c->id, am_true);
}

static void take_patterns_out(PermissionClient *client) {
    pattern_end_session(&container_of(client, CountedSession, client)->session, trace_session_release);
}

static void nobody_uses_it(ProgressNode *node) {
    CountedSession *c = container_of(node, CountedSession, ended);
    thread_progress_enter(); /* the thread may be going to sleep */
    say_the_end(c);
    race_window("nobody uses a session, its patterns are there");
    if (c->session.has_patterns)
        permission_take_for(&code_permission, &c->client, take_patterns_out);
    else
        trace_session_release(&c->session);
    thread_progress_leave();
}

bool trace_session_end(TraceSession *s, Term reason, Term asker, uint64_t id) {
    CountedSession *c = trace_session_counted(s);
    mutex_lock(&trace_sessions_lock);
    bool ends = !trace_session_is_over(s);
    if (ends) {
        c->reason = reason;
        c->asker = asker;
        c->id = id;
        atomic_store_explicit(&s->is_over, true, memory_order_release);
        trace_session_unlink(s);
        trace_settings_end(s);
        if (s->monitors != NULL)
            system_monitor_place_end(s->monitors);
    }
    mutex_unlock(&trace_sessions_lock);
    if (ends) {
        c->ended.run = nobody_uses_it;
        thread_progress_later(&c->ended);
    }
    return ends;
}

static void end_abandoned(ProgressNode *node) {
    TraceSession *s = &container_of(node, CountedSession, abandoned)->session;
    trace_session_end(s, am_destroyed, NON_VALUE, 0);
    trace_session_release(s);
}

void trace_session_abandon(TraceSession *s) {
    CountedSession *c = trace_session_counted(s);
    c->abandoned.run = end_abandoned;
    thread_progress_later(&c->abandoned);
}
