/* erlang:process_display/2. Source: erlang(3). */
#include <unistd.h>

#include "alloc/alloc.h"
#include "bif_table.h"
#include "process/dump.h"
#include "process/process_table.h"
#include "process/request.h"
#include "sys/file.h"
#include "term/atom.h"

static void display(const Process *p) {
    TEXT(text);
    if (!process_is_sensitive(p))
        process_backtrace(&text, p);
    file_write_lines(STDERR_FILENO, text.bytes, text.size);
}

typedef struct {
    CallSignal call;
    Term requester;
    uint64_t id;
} DisplaySignal;

static void take_display(Process *p, CallSignal *call) {
    DisplaySignal *s = container_of(call, DisplaySignal, call);
    bool alive = !process_is_exiting(p);
    if (alive)
        display(p);
    request_reply(s->requester, s->id, alive ? am_true : am_badarg);
    mem_free(ALLOC_SIGNAL, s);
}

/* badopt and badarg are turned into errors by erlang:process_display/2. */
Term erts_internal_process_display_2(Process *p, const Term *a) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    if (a[1] != am_backtrace)
        return am_badopt;
    if (!is_local_pid(a[0]))
        return am_badarg;
    if (a[0] == p->pid) {
        display(p);
        return am_true;
    }
    DisplaySignal *s = mem_calloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = take_display;
    s->requester = p->pid;
    s->id = request_begin(p);
    if (signal_ask(p, a[0], &s->call.signal))
        return request_wait(p);
    mem_free(ALLOC_SIGNAL, s);
    request_end(p);
    return am_badarg;
}
