#include "sched/os_signals.h"

#include "base/leave.h"
#include "heap/heap.h"
#include "port/child.h"
#include "process/message.h"
#include "process/registry.h"
#include "sys/thread.h"
#include "term/atom.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static int pipe_ends[2]; /* written once, at the start, */
static bool takes_others; /* as is this: port/child_end.h */
static _Atomic Term names[NSIG];
static void (*_Atomic calls[NSIG])(void); /* NULL: a message */

/* What goes through the pipe, in one piece. */
typedef struct {
    int number;
    pid_t child; /* SIGCHLD by the system: of whom; else 0 */
} Told;

/* On whichever thread the signal interrupts. A pipe that is full has so many of them that one more says nothing new. */
static void handle(int number, siginfo_t *info, void *context) {
    int error = errno;
    bool is_end = number == SIGCHLD && info->si_code > 0;
    Told told = {number, is_end ? info->si_pid : 0};
    ssize_t ignored = write(pipe_ends[1], &told, sizeof told);
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

static void act_on(const Told *told) {
    int number = told->number;
    void (*call)(void) = atomic_load(&calls[number]);
    bool is_own = told->child != 0 && child_is_own(told->child);
    if (call != NULL)
        call(); /* after a program's end, too: the system tells several ends as one */
    if (call != NULL || is_own)
        return;
    thread_progress_enter();
    tell(atomic_load(&names[number]));
    thread_progress_leave();
}

static void signals_main(void *unused) {
    thread_progress_register();
    thread_progress_offline();
    for (;;) {
        Told told;
        if (read(pipe_ends[0], &told, sizeof told) == (ssize_t)sizeof told)
            act_on(&told);
    }
}

void os_signal_call(int number, void (*call)(void)) {
    struct sigaction a = {.sa_sigaction = handle, .sa_flags = SA_RESTART | SA_SIGINFO};
    atomic_store(&calls[number], call);
    (void)sigaction(number, &a, NULL);
}

/* As where the runtime ignores SIGCHLD, which it does at first on the stock runtime; or as where it does not. */
static void take_others(bool are_taken) {
    if (are_taken)
        os_signal_call(SIGCHLD, children_look_for_others);
    else
        atomic_store(&calls[SIGCHLD], NULL);
    children_take_others(are_taken);
}

void os_signals_start(void) {
    static Thread thread; /* nobody joins it */
    if (pipe2(pipe_ends, O_CLOEXEC) != 0 || fcntl(pipe_ends[1], F_SETFL, O_NONBLOCK) != 0)
        runtime_lacks(errno, "no pipe for signals");
    thread_start(&thread, "signals", 0, signals_main, NULL);
    child_signals_start();
    takes_others = children_take_others_start();
    if (takes_others)
        take_others(true);
}

/* With SIGCHLD ignored the system would take the statuses of programs that ports run; nothing is done by default. */
static bool is_ignored(int number, OsSignalAction action) { return action == OS_SIGNAL_IGNORE && number != SIGCHLD; }

bool os_signal_set(int number, Term name, OsSignalAction action) {
    if (number == SIGSTOP)
        return true; /* as on the stock runtime, which asks no more of the operating system than it can do */
    atomic_store(&names[number], name);
    if (number == SIGCHLD && takes_others)
        take_others(action == OS_SIGNAL_IGNORE);
    if (number == SIGCHLD && takes_others && action == OS_SIGNAL_IGNORE)
        return true;
    struct sigaction a = {.sa_flags = SA_RESTART};
    if (action == OS_SIGNAL_HANDLE) {
        a.sa_sigaction = handle;
        a.sa_flags |= SA_SIGINFO;
    } else {
        a.sa_handler = is_ignored(number, action) ? SIG_IGN : SIG_DFL;
    }
    return sigaction(number, &a, NULL) == 0;
}
