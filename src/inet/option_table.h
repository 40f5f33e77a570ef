/*
 * Options by number: which are the system's, and how it calls them. Source: inet(3) setopts/2; socket(7), ip(7),
 * ipv6(7), tcp(7).
 */
#ifndef VIV_INET_OPTION_TABLE_H
#define VIV_INET_OPTION_TABLE_H

#include "inet/inet.h"

typedef enum {
    OPTION_NONE,
    OPTION_VALUE,      /* an int of the system's */
    OPTION_OTHER,      /* of another form: inet/options.c */
    OPTION_LOCAL,      /* every driver has it: inet_local_options */
    OPTION_OF_STREAMS, /* the same, for others it is not there */
    OPTION_OF_DRIVERS, /* some have it, when the socket is open: for others it is not there */
} OptionKind;

typedef struct {
    OptionKind kind;
    bool tells_errors;  /* where the system refuses it; else it is left as it was */
    int level, name;
    int level6, name6;  /* of inet6, where that differs */
} InetOption;

/* NULL: there is none. */
const InetOption *inet_option(unsigned number);
extern const InetLocalOption inet_local_options[OPTIONS];

#endif
