/*
 * The system's interfaces: their names, addresses and properties. Source: inet(3) getiflist/0, ifget/2, ifset/2,
 * getifaddrs/0; kernel's prim_inet; netdevice(7).
 */
#ifndef VIV_INET_INTERFACES_H
#define VIV_INET_INTERFACES_H

#include "inet/inet.h"

InetRequest inet_interfaces, inet_interface_get, inet_interface_set, inet_interface_addresses;

#endif
