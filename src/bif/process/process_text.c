/*
 * viv_system:process_text/1: a process as a section of text, written by the process itself, for system_info(procs).
 */
#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "process/dump.h"
#include "process/request.h"
#include "term/atom.h"
#include "term/bits.h"

typedef struct {
    CallSignal call;
    Term asker;
    uint64_t id;
} TextSignal;

static void take_question(Process *p, CallSignal *call) {
    TextSignal *s = container_of(call, TextSignal, call);
    if (process_is_exiting(p)) {
        request_reply(s->asker, s->id, am_undefined);
    } else {
        TEXT(text);
        FragmentArea fa;
        process_dump(&text, p, false);
        fragment_area_init(&fa, 16);
        request_reply(s->asker, s->id, binary_from_bytes(&fa.area, text.bytes, text.size));
        fragment_area_drop(&fa);
    }
    mem_free(ALLOC_SIGNAL, s);
}

Term viv_system_process_text_1(Process *p, const Term *a) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    if (!is_local_pid(a[0]))
        return fail_badarg(p);
    if (a[0] == p->pid) {
        TEXT(text);
        process_dump(&text, p, true);
        return binary_from_bytes(process_area(p), text.bytes, text.size);
    }
    TextSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = take_question;
    s->asker = p->pid;
    s->id = request_begin(p);
    if (signal_ask(p, a[0], &s->call.signal))
        return request_wait(p);
    mem_free(ALLOC_SIGNAL, s);
    request_end(p);
    return am_undefined;
}
