/*
 * What the natives of prim_socket and prim_net share: their arguments and their results.
 *
 * Each is a built-in function (process/bif.h) on a socket, which stays while its reference is an argument. They lock
 * what they need of it (socket/socket.h), and have let go of it when they return.
 */
#ifndef VIV_BIF_SOCKET_NATIVE_H
#define VIV_BIF_SOCKET_NATIVE_H

#include "bif/magic_object.h"
#include "socket/socket.h"
#include "socket/wait.h"
#include "term/atom.h"

/* The socket that an argument is, or the function fails. */
#define TAKE_SOCKET(s, term)                                                                                           \
    Socket *s = socket_of(term);                                                                                       \
    if (s == NULL)                                                                                                     \
    return native_badarg(p)

Term socket_failed(Process *p, Term reason);          /* {error, Reason} */
Term socket_refused(Process *p, Term what);           /* {error, {invalid, What}} */
Term socket_invalid(Process *p, Term what);           /* {invalid, What} */
Term socket_raise_invalid(Process *p, Term a, Term b); /* error:{invalid, {A, B}} */
Term socket_raise_state(Process *p);                  /* error:{invalid, state} */
Term socket_error_name(int error);                    /* econnreset */
/* What is answered to an argument that should be a number of a size, and is not. */
Term socket_bad_number(Process *p, Term t);
/* native_bytes, where they are no more than the system takes of them. */
bool socket_bytes_from(Term t, NativeBytes *b);

/* Under the lock of its direction: may p read, or write, now? Otherwise *answer is what the function returns. */
must_check bool socket_may_read(Process *p, Socket *s, Term reference, Term *answer);
must_check bool socket_may_write(Process *p, Socket *s, Term reference, Term *answer);
/* The same: p has been told of `error`, as those behind it, or waits. */
Term socket_read_failed(Process *p, Socket *s, Term reference, int error);
Term socket_write_failed(Process *p, Socket *s, Term reference, int error);
/* p has read `count` bytes, and is through. */
void socket_has_read(Process *p, Socket *s, size_t count);
/* Of `all` bytes p has written `count`; what it answers. `is_end`: they are the last ones of what it sends. */
Term socket_has_written(Process *p, Socket *s, Term reference, size_t count, size_t all, bool is_end);

#endif
