/*
 * Signals of the operating system: os:set_signal/2.
 *
 * A signal that is to be handled becomes the message {notify, Name} to the process registered as erl_signal_server, as
 * on the stock runtime; nobody hears of it when there is none. The handler of the operating system only writes the
 * signal's number into a pipe; a thread that sleeps on the other end sends the message. Both are made at the start:
 * later there may be no descriptor, or no thread, to be had. Source: os(3) set_signal/2; erl_signal_handler.
 */
#ifndef VIV_SCHED_OS_SIGNALS_H
#define VIV_SCHED_OS_SIGNALS_H

#include "term/term.h"

typedef enum { OS_SIGNAL_DEFAULT, OS_SIGNAL_IGNORE, OS_SIGNAL_HANDLE } OsSignalAction;

/* Once, before processes run. */
void os_signals_start(void);
/* `name`: what the message says. Any thread. False: the operating system refuses it. */
bool os_signal_set(int number, Term name, OsSignalAction action);
/* `call` is called instead, by the thread that sends those messages; it is back soon. */
void os_signal_call(int number, void (*call)(void));

#endif
