/*
 * Programs that are started.
 *
 * A thread of its own starts them, by posix_spawn(3): the memory of the runtime is not copied, and no scheduler waits
 * while the kernel loads the program. Who asked waits, and takes what was made; if he is no more when it has been made,
 * the port's ends of the pipes are closed. port/child_end.h tells how a program's end is heard of.
 */
#ifndef VIV_PORT_CHILD_H
#define VIV_PORT_CHILD_H

#include "port/child_end.h"

/* Strings are the spec's own, allocated as ALLOC_PORT; lists end with NULL. */
typedef struct {
    char *path;
    char **arguments;   /* the name that it sees of itself first */
    char **environment;
    char *folder;       /* NULL: that of the runtime */
    bool reads, writes; /* the port reads what it writes, and the other way round */
    bool on_stdio;      /* on descriptors 0 and 1, else 3 and 4 */
    bool merges_stderr;
} ChildSpec;
void child_spec_release(ChildSpec *spec);

typedef struct {
    int read_fd, write_fd; /* the port's ends, or -1; they do not block */
    ChildId child;
    int64_t pid;           /* -1: the program could not be loaded, */
    int error;             /* and this is its error number, with which it would have ended */
    int refused;           /* not 0: an error number, and nothing was made: no descriptors, no process */
} ChildStarted;

/* Once, before the runtime handles any signal: those that it finds ignored are so in programs, too, but for SIGINT,
 * SIGQUIT, SIGTERM and SIGCHLD, and those blocked that it finds so, but for SIGCHLD: as on the stock runtime. SIGCHLD
 * comes to be default. */
void child_signals_start(void);

/* By a BIF that may wait, called again until it has happened: starts what `spec` says, which it empties. True:
 * *started. False: the process waits. What was started for a process that is no more finds its pipes closed. */
must_check bool child_start(Process *p, ChildSpec *spec, ChildStarted *started);

#endif
