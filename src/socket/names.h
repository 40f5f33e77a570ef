/*
 * What the system has numbers for, and their names. Tables end with an entry whose name is NON_VALUE. Source:
 * socket(3), socket:supports/1, and the system's headers.
 */
#ifndef VIV_SOCKET_NAMES_H
#define VIV_SOCKET_NAMES_H

#include "term/term.h"

typedef struct {
    Term name;
    int number;
} SocketName;

extern const SocketName socket_no_names[], socket_domains[], socket_types[], socket_message_flags[], socket_requests[],
    socket_interface_flags[], socket_packet_types[], socket_hardware_types[], socket_service_types[],
    socket_path_mtus[], socket_path_mtus6[];

/* The name, else the number as a term. */
Term socket_name_of(const SocketName *names, int number);
/* A type of service by those of its bits that name one, or as it is. */
Term socket_service_name(int number);
/* A name of the table, or an integer. */
must_check bool socket_number_of(const SocketName *names, Term t, int *number);
/* The names alone. */
must_check bool socket_number_of_name(const SocketName *names, Term t, int *number);

#endif
