#include "socket/message.h"

#include "base/visitor.h"
#include "process/message.h"
#include "term/atom.h"
#include "term/node.h"

Term socket_term(Area *area, Term reference) { return area_tuple2(area, am_socket_tag, reference); }

Term socket_message(Area *area, Term reference, Term what, Term data) {
    return area_tuple4(area, am_socket_tag, socket_term(area, reference), what, data);
}

static RefcBinary *binary_of(Socket *s) { return nif_resource_binary(nif_resource_of(s)); }

Term socket_reference(Area *area, Socket *s) {
    refc_binary_retain(binary_of(s));
    return magic_ref_make(area, binary_of(s)->magic_numbers, binary_of(s));
}

void socket_tell(Term pid, Term message) {
    KeptMessage k = kept_message_make(message, NON_VALUE, NIL);
    visitor_enter();
    kept_message_send(&k, pid);
    visitor_leave();
}
