/*
 * A process as text, for people: its stack, or all there is to say of it, in the forms of the stock runtime. By the
 * thread that runs p, or handles its signals; collects nothing. Source: erlang(3) process_info/2 (backtrace), ERTS
 * user's guide, "How to Interpret the Erlang Crash Dumps", and the action process_dump of match specifications; answers
 * of OTP 25.
 */
#ifndef VIV_PROCESS_DUMP_H
#define VIV_PROCESS_DUMP_H

#include "process/process.h"
#include "term/text.h"

/* The program counter, then frames with what is in them. */
void process_backtrace(Text *to, const Process *p);
/* A section as in a crash dump, its stack with it: "=proc:<0.1.0>" and lines. `is_self`: it runs. */
void process_dump(Text *to, const Process *p, bool is_self);
/* The section that a crash dump begins with: without messages, dictionary and stack, which have sections of their own
 * there. Allocates nothing. */
void process_dump_crashed(Text *to, const Process *p, bool is_self);
/* Parts of it: lines that begin with `prefix`; "m:f/1 + 16" for an address of code. */
void dump_state(Text *to, const Process *p, bool is_self, const char *prefix);
void dump_internal_state(Text *to, const Process *p, bool is_self, const char *prefix);
void dump_code_place(Text *to, const Word *address);

#endif
