#include "socket/names.h"

#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <sys/socket.h>

#include "socket/value.h"
#include "term/atom.h"

#define END {NON_VALUE, 0}

const SocketName socket_domains[] = {
    {am_inet, AF_INET}, {am_inet6, AF_INET6}, {am_local, AF_LOCAL}, {am_unspec, AF_UNSPEC}, END};
const SocketName socket_no_names[] = {END};

const SocketName socket_types[] = {
    {am_stream, SOCK_STREAM}, {am_dgram, SOCK_DGRAM}, {am_raw, SOCK_RAW}, {am_seqpacket, SOCK_SEQPACKET}, END};

const SocketName socket_message_flags[] = {{am_cmsg_cloexec, MSG_CMSG_CLOEXEC},
                                           {am_confirm, MSG_CONFIRM},
                                           {am_ctrunc, MSG_CTRUNC},
                                           {am_dontroute, MSG_DONTROUTE},
                                           {am_eor, MSG_EOR},
                                           {am_errqueue, MSG_ERRQUEUE},
                                           {am_more, MSG_MORE},
                                           {am_nosignal, MSG_NOSIGNAL},
                                           {am_oob, MSG_OOB},
                                           {am_peek, MSG_PEEK},
                                           {am_trunc, MSG_TRUNC},
                                           END};

const SocketName socket_requests[] = {{am_gifaddr, SIOCGIFADDR},
                                      {am_gifbrdaddr, SIOCGIFBRDADDR},
                                      {am_gifconf, SIOCGIFCONF},
                                      {am_gifdstaddr, SIOCGIFDSTADDR},
                                      {am_gifflags, SIOCGIFFLAGS},
                                      {am_gifhwaddr, SIOCGIFHWADDR},
                                      {am_gifindex, SIOCGIFINDEX},
                                      {am_gifmap, SIOCGIFMAP},
                                      {am_gifmtu, SIOCGIFMTU},
                                      {am_gifname, SIOCGIFNAME},
                                      {am_gifnetmask, SIOCGIFNETMASK},
                                      {am_giftxqlen, SIOCGIFTXQLEN},
                                      {am_sifaddr, SIOCSIFADDR},
                                      {am_sifbrdaddr, SIOCSIFBRDADDR},
                                      {am_sifdstaddr, SIOCSIFDSTADDR},
                                      {am_sifflags, SIOCSIFFLAGS},
                                      {am_sifmtu, SIOCSIFMTU},
                                      {am_siftxqlen, SIOCSIFTXQLEN},
                                      END};

/* Those that other systems have are there, with 0. */
const SocketName socket_interface_flags[] = {
    {am_up, IFF_UP},
    {am_broadcast, IFF_BROADCAST},
    {am_debug, IFF_DEBUG},
    {am_loopback, IFF_LOOPBACK},
    {am_pointopoint, IFF_POINTOPOINT},
    {am_notrailers, IFF_NOTRAILERS},
    {am_running, IFF_RUNNING},
    {am_noarp, IFF_NOARP},
    {am_promisc, IFF_PROMISC},
    {am_allmulti, IFF_ALLMULTI},
    {am_master, IFF_MASTER},
    {am_slave, IFF_SLAVE},
    {am_multicast, IFF_MULTICAST},
    {am_portsel, IFF_PORTSEL},
    {am_automedia, IFF_AUTOMEDIA},
    {am_dynamic, IFF_DYNAMIC},
    {am_lower_up, 1 << 16},
    {am_dormant, 1 << 17},
    {am_echo, 1 << 18},
    {am_cantconfig, 0},
    {am_dying, 0},
    {am_knowsepoch, 0},
    {am_link0, 0},
    {am_link1, 0},
    {am_link2, 0},
    {am_monitor, 0},
    {am_nogroup, 0},
    {am_oactive, 0},
    {am_ppromisc, 0},
    {am_renaming, 0},
    {am_simplex, 0},
    {am_staticarp, 0},
    END,
};

const SocketName socket_packet_types[] = {
    {am_host, PACKET_HOST},           {am_broadcast, PACKET_BROADCAST}, {am_multicast, PACKET_MULTICAST},
    {am_otherhost, PACKET_OTHERHOST}, {am_outgoing, PACKET_OUTGOING},   {am_loopback, PACKET_LOOPBACK},
    {am_user, PACKET_USER},           {am_kernel, PACKET_KERNEL},       END};

const SocketName socket_hardware_types[] = {{am_netrom, ARPHRD_NETROM},
                                            {am_ether, ARPHRD_ETHER},
                                            {am_eether, ARPHRD_EETHER},
                                            {am_ax25, ARPHRD_AX25},
                                            {am_pronet, ARPHRD_PRONET},
                                            {am_chaos, ARPHRD_CHAOS},
                                            {am_ieee802, ARPHRD_IEEE802},
                                            {am_arcnet, ARPHRD_ARCNET},
                                            {am_appletlk, ARPHRD_APPLETLK},
                                            {am_dlci, ARPHRD_DLCI},
                                            {am_atm, ARPHRD_ATM},
                                            {am_metricom, ARPHRD_METRICOM},
                                            {am_ieee1394, ARPHRD_IEEE1394},
                                            {am_eui64, ARPHRD_EUI64},
                                            {am_infiniband, ARPHRD_INFINIBAND},
                                            {am_tunnel, ARPHRD_TUNNEL},
                                            {am_tunnel6, ARPHRD_TUNNEL6},
                                            {am_loopback, ARPHRD_LOOPBACK},
                                            {am_localtlk, ARPHRD_LOCALTLK},
                                            {am_none, ARPHRD_NONE},
                                            {am_void, ARPHRD_VOID},
                                            END};

const SocketName socket_service_types[] = {{am_lowdelay, IPTOS_LOWDELAY},
                                           {am_throughput, IPTOS_THROUGHPUT},
                                           {am_reliability, IPTOS_RELIABILITY},
                                           {am_mincost, IPTOS_MINCOST},
                                           END};

const SocketName socket_path_mtus[] = {{am_want, IP_PMTUDISC_WANT},
                                       {am_dont, IP_PMTUDISC_DONT},
                                       {am_do, IP_PMTUDISC_DO},
                                       {am_probe, IP_PMTUDISC_PROBE},
                                       END};

const SocketName socket_path_mtus6[] = {{am_want, IPV6_PMTUDISC_WANT},
                                        {am_dont, IPV6_PMTUDISC_DONT},
                                        {am_do, IPV6_PMTUDISC_DO},
                                        {am_probe, IPV6_PMTUDISC_PROBE},
                                        END};

Term socket_name_of(const SocketName *names, int number) {
    for (; is_value(names->name); names++)
        if (names->number == number)
            return names->name;
    return small_make(number);
}

Term socket_service_name(int number) {
    Term name = socket_name_of(socket_service_types, number & IPTOS_TOS_MASK);
    return is_atom(name) ? name : small_make(number);
}

bool socket_number_of_name(const SocketName *names, Term t, int *number) {
    for (; is_value(names->name); names++)
        if (names->name == t) {
            *number = names->number;
            return true;
        }
    return false;
}

bool socket_number_of(const SocketName *names, Term t, int *number) {
    return socket_number_of_name(names, t, number) || socket_int_from(t, number);
}
