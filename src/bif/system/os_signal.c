/* os:set_signal/2. Source: os(3); which signals there are: answers of OTP 25. */
#include "bif/argument.h"
#include "bif_table.h"
#include "sched/os_signals.h"
#include "sys/release.h"
#include "term/atom.h"

#include <signal.h>

static const struct {
    Term name;
    int number;
} signals[] = {
    {am_sighup, SIGHUP},   {am_sigquit, SIGQUIT}, {am_sigabrt, SIGABRT}, {am_sigalrm, SIGALRM}, {am_sigterm, SIGTERM},
    {am_sigusr1, SIGUSR1}, {am_sigusr2, SIGUSR2}, {am_sigchld, SIGCHLD}, {am_sigstop, SIGSTOP}, {am_sigtstp, SIGTSTP},
};

static int signal_number(Term name) {
    for (size_t i = 0; i < array_length(signals); i++)
        if (signals[i].name == name)
            return signals[i].number;
    if (!release_has(RELEASE_MORE_SIGNALS))
        return 0;
    return name == am_sigwinch ? SIGWINCH : name == am_sigcont ? SIGCONT : 0;
}

static bool action_of(Term option, OsSignalAction *action) {
    switch (option) {
    case am_default: *action = OS_SIGNAL_DEFAULT; return true;
    case am_ignore: *action = OS_SIGNAL_IGNORE; return true;
    case am_handle: *action = OS_SIGNAL_HANDLE; return true;
    default: return false;
    }
}

Term os_set_signal_2(Process *p, const Term *a) {
    int number = signal_number(a[0]);
    OsSignalAction action;
    if (!action_of(a[1], &action))
        return fail_badarg_cause(p, am_badopt);
    return number != 0 && os_signal_set(number, a[0], action) ? am_ok : fail_badarg(p);
}
