#include "socket/registry.h"

#include "socket/message.h"
#include "term/atom.h"

static _Atomic(Term) registry = NON_VALUE;

void socket_registry_is(Term pid) { atomic_store_explicit(&registry, pid, memory_order_release); }

void socket_tell_registry(Socket *s, Term what) {
    Term pid = atomic_load_explicit(&registry, memory_order_acquire);
    if (!is_value(pid))
        return;
    FragmentArea built;
    fragment_area_init(&built, 32);
    Term socket = socket_term(&built.area, socket_reference(&built.area, s));
    socket_tell(pid, area_tuple3(&built.area, am_socket_tag, what, socket));
    fragment_area_drop(&built);
}

void socket_defer_file(Socket *s) {
    if (s->file < 0 || !is_value(s->file_sender))
        return;
    s->file_sender = NON_VALUE;
    s->files_deferred++;
    socket_tell_registry(s, am_sendfile_deferred_close);
}
