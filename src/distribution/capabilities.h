/*
 * What a node can do, as it says when it is connected: one bit for each ability, in both directions.
 *
 * DEFAULT is what this node says of itself; a node that lacks one of MANDATORY is refused; a distribution module may
 * add of ADDABLE and take away of REJECTABLE; STRICT_ORDER are those that need all bytes in order. Kernel's dist_util
 * asks for these sets (erts_internal:get_dflags/0). An ability stands in DEFAULT when all of it is there.
 * Source of names and bits: ERTS User's Guide, "Distribution Protocol", "Distribution Flags".
 */
#ifndef VIV_DISTRIBUTION_CAPABILITIES_H
#define VIV_DISTRIBUTION_CAPABILITIES_H

#include <stdint.h>

#define CAPABILITY(bit) ((uint64_t)1 << (bit))
#define CAN_PUBLISHED CAPABILITY(0)
#define CAN_ATOM_CACHE CAPABILITY(1)
#define CAN_EXTENDED_REFERENCES CAPABILITY(2)
#define CAN_DIST_MONITOR CAPABILITY(3)
#define CAN_FUN_TAGS CAPABILITY(4)
#define CAN_DIST_MONITOR_NAME CAPABILITY(5)
#define CAN_HIDDEN_ATOM_CACHE CAPABILITY(6)
#define CAN_NEW_FUN_TAGS CAPABILITY(7)
#define CAN_EXTENDED_PIDS_PORTS CAPABILITY(8)
#define CAN_EXPORT_PTR_TAG CAPABILITY(9)
#define CAN_BIT_BINARIES CAPABILITY(10)
#define CAN_NEW_FLOATS CAPABILITY(11)
#define CAN_UNICODE_IO CAPABILITY(12)
#define CAN_DIST_HDR_ATOM_CACHE CAPABILITY(13)
#define CAN_SMALL_ATOM_TAGS CAPABILITY(14)
#define CAN_UTF8_ATOMS CAPABILITY(16)
#define CAN_MAP_TAG CAPABILITY(17)
#define CAN_BIG_CREATION CAPABILITY(18)
#define CAN_SEND_SENDER CAPABILITY(19)
#define CAN_BIG_SEQTRACE_LABELS CAPABILITY(20)
#define CAN_EXIT_PAYLOAD CAPABILITY(22)
#define CAN_FRAGMENTS CAPABILITY(23)
#define CAN_HANDSHAKE_23 CAPABILITY(24)
#define CAN_UNLINK_ID CAPABILITY(25)
#define CAN_MANDATORY_25_DIGEST CAPABILITY(26)
#define CAN_SPAWN CAPABILITY(32)
#define CAN_NAME_ME CAPABILITY(33)
#define CAN_V4_NC CAPABILITY(34)
#define CAN_ALIAS CAPABILITY(35)

#define CAPABILITIES_MANDATORY                                                                                         \
    (CAN_EXTENDED_REFERENCES | CAN_FUN_TAGS | CAN_NEW_FUN_TAGS | CAN_EXTENDED_PIDS_PORTS | CAN_EXPORT_PTR_TAG |        \
     CAN_BIT_BINARIES | CAN_NEW_FLOATS | CAN_UTF8_ATOMS | CAN_MAP_TAG | CAN_BIG_CREATION | CAN_HANDSHAKE_23)
/* Of those a node may lack each, and is told in another way, or not at all, what would need it. */
#define CAPABILITIES_HOPEFUL (CAN_DIST_MONITOR | CAN_DIST_MONITOR_NAME | CAN_SPAWN | CAN_ALIAS | CAN_UNLINK_ID)
#define CAPABILITIES_DEFAULT                                                                                           \
    (CAPABILITIES_MANDATORY | CAN_UNICODE_IO | CAN_SMALL_ATOM_TAGS | CAN_V4_NC | CAN_DIST_MONITOR |                    \
     CAN_DIST_MONITOR_NAME | CAN_DIST_HDR_ATOM_CACHE | CAN_SEND_SENDER | CAN_BIG_SEQTRACE_LABELS | CAN_EXIT_PAYLOAD |  \
     CAN_FRAGMENTS | CAN_UNLINK_ID | CAN_MANDATORY_25_DIGEST | CAN_SPAWN | CAN_ALIAS)
#define CAPABILITIES_ADDABLE CAPABILITIES_DEFAULT
#define CAPABILITIES_REJECTABLE (CAN_ATOM_CACHE | CAN_HIDDEN_ATOM_CACHE | CAN_DIST_HDR_ATOM_CACHE | CAN_FRAGMENTS)
#define CAPABILITIES_STRICT_ORDER CAN_DIST_HDR_ATOM_CACHE

#endif
