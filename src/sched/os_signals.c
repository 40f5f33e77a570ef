#include "sched/os_signals.h"

#include "heap/heap.h"
#include "process/message.h"
#include "process/registry.h"
#include "sys/thread.h"
#include "term/atom.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static int pipe_ends[2]; /* written once, at the start */
static _Atomic Term names[NSIG];
static void (*_Atomic calls[NSIG])(void); /* NULL: a message */

/* On whichever thread the signal interrupts. A pipe that is full has so many of them that one more says nothing new. */
static void handle(int number) {
    int error = errno;
    uint8_t byte = (uint8_t)number;
    ssize_t ignored = write(pipe_ends[1], &byte, 1);
    (void)ignored;
    errno = error;
}

static void tell(Term name) {
    Term server = registry_whereis(am_erl_signal_server);
    if (!is_local_pid(server))
        return;
    FragmentArea fa;
    fragment_area_init(&fa, 3);
    Message *m = message_create(area_tuple2(&fa.area, am_notify, name), NON_VALUE, TOKEN_OF_RUNTIME);
    fragment_area_drop(&fa);
    if (!signal_send(server, &m->signal))
        message_free(m);
}

static void act_on(uint8_t number) {
    void (*call)(void) = atomic_load(&calls[number]);
    if (call != NULL) {
        call();
        return;
    }
    thread_progress_enter();
    tell(atomic_load(&names[number]));
    thread_progress_leave();
}

static void signals_main(void *unused) {
    thread_progress_register();
    thread_progress_offline();
    for (;;) {
        uint8_t number;
        if (read(pipe_ends[0], &number, 1) != 1)
            continue;
        act_on(number);
    }
}

void os_signals_start(void) {
    static Thread thread; /* nobody joins it */
    require(pipe2(pipe_ends, O_CLOEXEC) == 0);
    require(fcntl(pipe_ends[1], F_SETFL, O_NONBLOCK) == 0);
    thread_start(&thread, "signals", 0, signals_main, NULL);
}

void os_signal_call(int number, void (*call)(void)) {
    struct sigaction a = {.sa_handler = handle, .sa_flags = SA_RESTART};
    atomic_store(&calls[number], call);
    (void)sigaction(number, &a, NULL);
}

bool os_signal_set(int number, Term name, OsSignalAction action) {
    if (number == SIGSTOP)
        return true; /* as on the stock runtime, which asks no more of the operating system than it can do */
    struct sigaction a = {.sa_flags = SA_RESTART};
    a.sa_handler = action == OS_SIGNAL_HANDLE ? handle : action == OS_SIGNAL_IGNORE ? SIG_IGN : SIG_DFL;
    atomic_store(&names[number], name);
    return sigaction(number, &a, NULL) == 0;
}
