/*
 * Addresses as bytes, as prim_inet writes and reads them, and as the system has them.
 */
#ifndef VIV_INET_ADDRESS_H
#define VIV_INET_ADDRESS_H

#include <netinet/in.h>
#include <sys/un.h>

#include "inet/inet.h"

typedef struct InetAddress {
    socklen_t size;
    union {
        struct sockaddr any;
        struct sockaddr_in inet;
        struct sockaddr_in6 inet6;
        struct sockaddr_un local;
        struct sockaddr_storage storage;
        char bytes[sizeof(struct sockaddr_storage)];
    };
} InetAddress;

#define INET_ADDRESS_WORDS 24 /* a name of a file has up to 108 bytes, which lie elsewhere if they are many */

/* A family's number and what belongs to it; `any` and `loopback` are those of the socket's own. am_ok, or the name of
 * an error. */
must_check Term inet_address_take(const Inet *d, Reader *r, InetAddress *to);
void inet_address_put(Text *answer, const InetAddress *a);
/* {A, B, C, D} and the like, {local, Name}, {unspec, <<>>}, {undefined, <<>>}. It takes INET_ADDRESS_WORDS at most. */
Term inet_address_term(Area *area, const InetAddress *a);
/* 0 where it has none. */
unsigned inet_address_port(const InetAddress *a);

#endif
