/*
 * Options of the system's levels: a table of those with a name (option_table.c), each with the form of its value, and
 * the forms: plain values (option_value.c), and those that are maps (option_group.c).
 *
 * A level is `socket` or the number of a protocol. Source: socket(3), "Socket options", and the system's manual.
 */
#ifndef VIV_SOCKET_OPTION_H
#define VIV_SOCKET_OPTION_H

#include "socket/socket.h"

/* What its value looks like, read or written. OPTION_NEITHER: it cannot be. */
typedef enum {
    OPTION_NEITHER,
    OPTION_BOOL,
    OPTION_INT,
    OPTION_BYTES,  /* a list of bytes */
    OPTION_LINGER, /* a map, or `abort` */
    OPTION_DOMAIN,
    OPTION_TYPE,
    OPTION_PROTOCOL, /* of a local socket that has none `default` */
    OPTION_SERVICE,  /* of IP's type of service: a name or a number */
    OPTION_HOPS,     /* `default`, or a number */
    OPTION_PATH_MTU, /* a name or a number */
    OPTION_PATH_MTU6,
    OPTION_IP4,
    OPTION_GROUP,        /* maps of addresses from here */
    OPTION_GROUP_SOURCE,
    OPTION_GROUP6,
    OPTION_FILTER,
    OPTION_FAMILY, /* a domain to become */
    OPTION_ASSOCIATION, /* SCTP's */
    OPTION_EVENTS,
    OPTION_INIT_MESSAGE,
} OptionForm;

typedef struct {
    int level; /* OPTION_LEVEL_SOCKET, or a protocol */
    Term name; /* NON_VALUE ends the table */
    int number; /* -1: this system has none such */
    OptionForm got, set;
} SocketOption;
#define OPTION_LEVEL_SOCKET (-1)
#define OPTION_LEVEL_NONE (-2) /* what the system has no more than it has -1 */

extern const SocketOption socket_options[];
/* NULL: there is none of that number. */
const SocketOption *socket_option_find(int level, int number);
/* `socket`, or a number. */
must_check bool socket_level_from(Term t, int *level);
static inline int socket_level_of_system(int level) {
    return level == OPTION_LEVEL_SOCKET ? 1 /* SOL_SOCKET */ : level;
}

/* 0, an error number, or -1: the value is none for this option. Under the locks. */
int socket_option_set(const Socket *s, const SocketOption *o, Term value);
/* *value is built in the area. 0, or an error number. */
int socket_option_get(const Socket *s, const SocketOption *o, Area *area, Term *value);

/* Of those that are maps (option_group.c); the same results. */
int socket_group_set(int fd, int level, const SocketOption *o, Term value);
int socket_group_get(int fd, int level, const SocketOption *o, Area *area, Term *value);

#endif
