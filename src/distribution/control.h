/*
 * Control messages: what one node tells another to do. Each is a tuple whose first element says which operation it is;
 * the table below is the one place that knows what the other elements are.
 *
 * A tuple from outside is read as a whole: each element is what the operation wants, or all of it is refused
 * (control_read). What can only be known elsewhere is the caller's: whether a pid of another node is one of the node
 * that sent it, whether who is named exists.
 *
 * Source: ERTS User's Guide "Distribution Protocol", Protocol between Connected Nodes.
 */
#ifndef VIV_DISTRIBUTION_CONTROL_H
#define VIV_DISTRIBUTION_CONTROL_H

#include "term/area.h"

/*
 * Number, name, PAYLOAD or ALONE: whether a term follows the control message (what is sent, a reason, the arguments of
 * a spawn), and the elements, a letter each:
 *
 *   f  from    a pid of another node                 F  from    the same, or an atom: a name on that node
 *   p  from    any pid (who sends, or a group leader)
 *   t  to      a pid of this node                    T  to      the same, or an atom: a name here
 *   n  to      an atom: a name here                  a  to      a reference of this node: an alias
 *   i  ref     a reference of another node           r  ref     a reference of this node
 *   k  token   of a sequential trace                 R  reason  any term
 *   g  group_leader  any pid                         m  module, function, arity  {atom, atom, 0..2^32-1}
 *   o  options  a proper list                        u  id      1..2^64-1
 *   x  flags   0..2^32-1                             y  result  a pid of another node, or an atom
 *   -  anything, and it is not used; '' is written
 *
 * A node that was started anew under its name is the same node with another creation: a pid "of this node" may be of an
 * earlier one, and is an external pid then. Nobody has it.
 */
#define CONTROL_OPERATIONS(C)                                                                                          \
    C(1, LINK, ALONE, "ft")                                                                                            \
    C(2, SEND, PAYLOAD, "-t")                                                                                          \
    C(3, EXIT, ALONE, "ftR")                                                                                           \
    C(4, UNLINK, ALONE, "ft") /* of nodes before OTP 24 */                                                             \
    C(5, NODE_LINK, ALONE, "") /* of nodes of long ago: nothing to be done */                                          \
    C(6, REG_SEND, PAYLOAD, "p-n")                                                                                     \
    C(7, GROUP_LEADER, ALONE, "pt")                                                                                    \
    C(8, EXIT2, ALONE, "ftR")                                                                                          \
    C(12, SEND_TT, PAYLOAD, "-tk")                                                                                     \
    C(13, EXIT_TT, ALONE, "ftkR")                                                                                      \
    C(16, REG_SEND_TT, PAYLOAD, "p-nk")                                                                                \
    C(18, EXIT2_TT, ALONE, "ftkR")                                                                                     \
    C(19, MONITOR_P, ALONE, "fTi")                                                                                     \
    C(20, DEMONITOR_P, ALONE, "fTi")                                                                                   \
    C(21, MONITOR_P_EXIT, ALONE, "FtrR")                                                                               \
    C(22, SEND_SENDER, PAYLOAD, "pt")                                                                                  \
    C(23, SEND_SENDER_TT, PAYLOAD, "ptk")                                                                              \
    C(24, PAYLOAD_EXIT, PAYLOAD, "ft")                                                                                 \
    C(25, PAYLOAD_EXIT_TT, PAYLOAD, "ftk")                                                                             \
    C(26, PAYLOAD_EXIT2, PAYLOAD, "ft")                                                                                \
    C(27, PAYLOAD_EXIT2_TT, PAYLOAD, "ftk")                                                                            \
    C(28, PAYLOAD_MONITOR_P_EXIT, PAYLOAD, "Ftr")                                                                      \
    C(29, SPAWN_REQUEST, PAYLOAD, "ifgmo")                                                                             \
    C(30, SPAWN_REQUEST_TT, PAYLOAD, "ifgmok")                                                                         \
    C(31, SPAWN_REPLY, ALONE, "rtxy")                                                                                  \
    C(32, SPAWN_REPLY_TT, ALONE, "rtxyk")                                                                              \
    C(33, ALIAS_SEND, PAYLOAD, "pa")                                                                                   \
    C(34, ALIAS_SEND_TT, PAYLOAD, "pak")                                                                               \
    C(35, UNLINK_ID, ALONE, "uft")                                                                                     \
    C(36, UNLINK_ID_ACK, ALONE, "uft")

#define CONTROL_NUMBER(number, name, payload, elements) CONTROL_##name = (number),
typedef enum { CONTROL_OPERATIONS(CONTROL_NUMBER) CONTROL_LIMIT } ControlOp;
#undef CONTROL_NUMBER

enum { SPAWN_REPLY_LINKED = 1, SPAWN_REPLY_MONITORED = 2 }; /* flags of a SPAWN_REPLY */

/* The elements, by name; those that an operation does not have are NON_VALUE and 0. Terms are parts of the tuple that
 * was read, and live as long as it does. */
typedef struct {
    ControlOp op;
    Term from, to, ref, token, reason, group_leader, options, result;
    Term module, function;
    uint32_t arity; /* how many arguments follow: there may be more than a function can have */
    uint32_t flags;
    uint64_t id;
} Control;

/* False: it is no control message, and *c is undefined. `tuple` is any term. Long lists of options are long work. */
must_check bool control_read(Term tuple, Control *c);
bool control_has_payload(ControlOp op);

#define CONTROL_MAX_WORDS 16
/* The tuple for the other node, of all that the operation has; CONTROL_MAX_WORDS words at most. Here `from` is of this
 * node and `to` of the other: what the table says is seen from who receives, and not checked. */
Term control_make(Area *area, const Control *c);

#endif
