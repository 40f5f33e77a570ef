/*
 * The stack of a process as text. Source: erlang(3) process_info/2 (backtrace), process_display/2.
 *
 * The slots of the running function's frame come first, then, behind each return address, those of the function that it
 * leads to. A return address is named by the function that it lies in and the bytes from that one's entry.
 */
#include "bif/process_backtrace.h"

#include <stdio.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "bif_table.h"
#include "code/ranges.h"
#include "process/process_table.h"
#include "process/request.h"
#include "term/atom.h"
#include "term/print.h"

static void put_place(Text *to, const Word *address) {
    CodePlace place;
    if (address == process_entries.exit_normal) {
        text_string(to, "<terminate process normally>");
    } else if (address && range_place(address, &place)) {
        print_atom(to, place.function->module);
        text_byte(to, ':');
        print_atom(to, place.function->function);
        text_format(to, "/%d + %d", (int)place.function->arity,
                    (int)((const char *)address - (const char *)function_entry(place.function)));
    } else {
        text_string(to, "unknown function");
    }
}

static void put_slot(Text *to, unsigned number, Term t) {
    char name[16];
    snprintf(name, sizeof name, "y(%u)", number);
    text_format(to, "%-9s", name);
    if (is_catch(t)) {
        text_format(to, "Catch 0x%016lx (", (unsigned long)(uintptr_t)catch_handler(t));
        put_place(to, catch_handler(t));
        text_byte(to, ')');
    } else {
        print_term(to, t);
    }
    text_byte(to, '\n');
}

void process_backtrace(Text *to, const Process *p) {
    text_format(to, "Program counter: 0x%016lx (", (unsigned long)(uintptr_t)p->ip);
    put_place(to, p->ip);
    text_string(to, ")\n");
    unsigned number = 0;
    for (const Term *slot = p->heap.area.limit; slot < p->heap.end; slot++) {
        if (!is_return_address(*slot)) {
            put_slot(to, number++, *slot);
            continue;
        }
        const Word *address = return_address_ip(*slot);
        text_format(to, "\n0x%016lx Return addr 0x%016lx (", (unsigned long)(uintptr_t)slot,
                    (unsigned long)(uintptr_t)address);
        put_place(to, address);
        text_string(to, ")\n");
        number = 0;
    }
}

static void display(const Process *p) {
    TEXT(text);
    process_backtrace(&text, p);
    for (size_t done = 0; done < text.size;) {
        ssize_t n = write(STDERR_FILENO, text.bytes + done, text.size - done);
        if (n <= 0)
            return;
        done += (size_t)n;
    }
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
    if (signal_send(a[0], &s->call.signal))
        return request_wait(p);
    mem_free(ALLOC_SIGNAL, s);
    request_end(p);
    return am_badarg;
}
