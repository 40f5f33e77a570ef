/*
 * Addresses: maps as the module socket has them, and the system's structures.
 *
 * prim_socket has filled in what its caller left out, so all keys of a family are there. Nothing here collects or
 * blocks.
 */
#ifndef VIV_SOCKET_ADDRESS_H
#define VIV_SOCKET_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "socket/value.h"
#include "term/area.h"

typedef struct {
    socklen_t size;
    union {
        struct sockaddr any;
        struct sockaddr_in inet;
        struct sockaddr_in6 inet6;
        struct sockaddr_un local;
        struct sockaddr_storage storage;
        uint8_t bytes[sizeof(struct sockaddr_storage)];
    };
} SocketAddress;

/* False: it is no address. */
must_check bool socket_address_from(Term map, SocketAddress *to);
Term socket_address_term(Area *area, const SocketAddress *from);
/* undefined when there is none. */
Term socket_address_of(Area *area, const void *from, size_t size);

/* {A,B,C,D} and the like; `any`, `loopback`, `broadcast` too. */
must_check bool socket_ip4_from(Term t, struct in_addr *to);
must_check bool socket_ip6_from(Term t, struct in6_addr *to);
Term socket_ip4_term(Area *area, const struct in_addr *from);
Term socket_ip6_term(Area *area, const struct in6_addr *from);

#endif
