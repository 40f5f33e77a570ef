#include "inet/option_table.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include "inet/tell.h"
#include "sys/release.h"
#include "term/atom.h"

#define SOCKET_OPTION(option) {OPTION_VALUE, false, SOL_SOCKET, option, 0, 0}
#define TCP_OPTION(option) {OPTION_VALUE, false, IPPROTO_TCP, option, 0, 0}
#define IP_OPTION(option) {OPTION_VALUE, true, IPPROTO_IP, option, 0, 0}
#define IPV6_OPTION(option) {OPTION_VALUE, true, IPPROTO_IPV6, option, 0, 0}
#define HERE {OPTION_LOCAL, true, 0, 0, 0, 0}
#define OF_STREAMS {OPTION_OF_STREAMS, true, 0, 0, 0, 0}
#define OF_DRIVERS {OPTION_OF_DRIVERS, true, 0, 0, 0, 0}
#define OTHER {OPTION_OTHER, true, 0, 0, 0, 0}

static const InetOption options[OPTIONS] = {
    [OPTION_REUSEADDR] = SOCKET_OPTION(SO_REUSEADDR),
    [OPTION_KEEPALIVE] = SOCKET_OPTION(SO_KEEPALIVE),
    [OPTION_DONTROUTE] = SOCKET_OPTION(SO_DONTROUTE),
    [OPTION_LINGER] = OTHER,
    [OPTION_BROADCAST] = SOCKET_OPTION(SO_BROADCAST),
    [OPTION_OOBINLINE] = SOCKET_OPTION(SO_OOBINLINE),
    [OPTION_SNDBUF] = SOCKET_OPTION(SO_SNDBUF),
    [OPTION_RECBUF] = SOCKET_OPTION(SO_RCVBUF),
    [OPTION_PRIORITY] = {OPTION_VALUE, true, SOL_SOCKET, SO_PRIORITY, 0, 0},
    [OPTION_TOS] = IP_OPTION(IP_TOS),
    [OPTION_NODELAY] = TCP_OPTION(TCP_NODELAY),
    [OPTION_MULTICAST_IF] = OTHER,
    [OPTION_MULTICAST_TTL] = {OPTION_VALUE, false, IPPROTO_IP, IP_MULTICAST_TTL, IPPROTO_IPV6, IPV6_MULTICAST_HOPS},
    [OPTION_MULTICAST_LOOP] = {OPTION_VALUE, false, IPPROTO_IP, IP_MULTICAST_LOOP, IPPROTO_IPV6, IPV6_MULTICAST_LOOP},
    [OPTION_ADD_MEMBERSHIP] = OTHER,
    [OPTION_DROP_MEMBERSHIP] = OTHER,
    [OPTION_IPV6_V6ONLY] = IPV6_OPTION(IPV6_V6ONLY),
    [OPTION_REUSEPORT] = SOCKET_OPTION(SO_REUSEPORT),
    [OPTION_REUSEPORT_LB] = SOCKET_OPTION(SO_REUSEPORT),
    [OPTION_EXCLUSIVEADDRUSE] = HERE,
    [OPTION_BUFFER] = HERE,
    [OPTION_HEADER] = HERE,
    [OPTION_ACTIVE] = OTHER,
    [OPTION_PACKET] = HERE,
    [OPTION_MODE] = HERE,
    [OPTION_DELIVER] = HERE,
    [OPTION_EXIT_ON_CLOSE] = HERE,
    [OPTION_HIGH_WATERMARK] = OF_DRIVERS,
    [OPTION_LOW_WATERMARK] = OF_DRIVERS,
    [OPTION_SEND_TIMEOUT] = OF_DRIVERS,
    [OPTION_DELAY_SEND] = OF_DRIVERS,
    [OPTION_PACKET_SIZE] = HERE,
    [OPTION_READ_PACKETS] = OF_DRIVERS,
    [OPTION_RAW] = OTHER,
    [OPTION_SEND_TIMEOUT_CLOSE] = OF_DRIVERS,
    [OPTION_HIGH_MSGQ_WATERMARK] = HERE,
    [OPTION_LOW_MSGQ_WATERMARK] = HERE,
    [OPTION_NETNS] = OTHER,
    [OPTION_SHOW_ECONNRESET] = OF_STREAMS,
    [OPTION_LINE_DELIMITER] = HERE,
    [OPTION_TCLASS] = IPV6_OPTION(IPV6_TCLASS),
    [OPTION_BIND_TO_DEVICE] = OTHER,
    [OPTION_RECVTOS] = IP_OPTION(IP_RECVTOS),
    [OPTION_RECVTCLASS] = IPV6_OPTION(IPV6_RECVTCLASS),
    [OPTION_PKTOPTIONS] = OTHER,
    [OPTION_TTL] = IP_OPTION(IP_TTL),
    [OPTION_RECVTTL] = IP_OPTION(IP_RECVTTL),
    [OPTION_NOPUSH] = TCP_OPTION(TCP_CORK),
    [OPTION_READ_AHEAD] = OF_STREAMS,
    [OPTION_NON_BLOCK_SEND] = HERE,
    [OPTION_DEBUG] = HERE,
};

/* Later releases have some more. */
static bool is_there(unsigned number) {
    switch (number) {
    case OPTION_REUSEPORT:
    case OPTION_REUSEPORT_LB:
    case OPTION_EXCLUSIVEADDRUSE: return release_has(RELEASE_REUSED_PORTS);
    case OPTION_READ_AHEAD:
    case OPTION_NON_BLOCK_SEND: return release_has(RELEASE_READ_AHEAD);
    default: return number < OPTIONS && options[number].kind != OPTION_NONE;
    }
}

const InetOption *inet_option(unsigned number) { return is_there(number) ? &options[number] : NULL; }

/* --- those that every driver has ---------------------------------------------------------------------------------- */

#define GET_AND_SET(field)                                                                                             \
    static int32_t get_##field(const Inet *d) { return (int32_t)d->field; }                                            \
    static Term set_##field(Inet *d, int32_t value) {                                                                  \
        d->field = (typeof(d->field))value;                                                                            \
        return am_ok;                                                                                                  \
    }
GET_AND_SET(header)
GET_AND_SET(packet)
GET_AND_SET(mode)
GET_AND_SET(deliver)
GET_AND_SET(exits_on_close)
GET_AND_SET(packet_size)
GET_AND_SET(shows_reset)
GET_AND_SET(is_debug)
GET_AND_SET(reads_ahead)

/* Of other systems, or of SCTP. */
static int32_t get_false(const Inet *d) { return false; }
static Term set_false(Inet *d, int32_t value) { return am_ok; }

static int32_t get_buffer(const Inet *d) { return (int32_t)d->buffer_size; }
static Term set_buffer(Inet *d, int32_t size) {
    d->buffer_size = size < 1 ? 1 : (uint32_t)size;
    d->has_own_buffer_size = true;
    return am_ok;
}

/* One can be set, and not asked for. */
static Term set_line_delimiter(Inet *d, int32_t value) {
    d->line_delimiter = (uint8_t)value;
    return am_ok;
}

static int32_t get_queue_high(const Inet *d) {
    ErlDrvSizeT high = ERL_DRV_BUSY_MSGQ_READ_ONLY;
    erl_drv_busy_msgq_limits(d->port, NULL, &high);
    return (int32_t)high;
}

static int32_t get_queue_low(const Inet *d) {
    ErlDrvSizeT low = ERL_DRV_BUSY_MSGQ_READ_ONLY;
    erl_drv_busy_msgq_limits(d->port, &low, NULL);
    return (int32_t)low;
}

static Term set_queue_limits(Inet *d, int32_t value, bool is_high) {
    ErlDrvSizeT limit = (ErlDrvSizeT)value;
    if (value < (int32_t)ERL_DRV_BUSY_MSGQ_LIM_MIN)
        return am_einval;
    erl_drv_busy_msgq_limits(d->port, is_high ? NULL : &limit, is_high ? &limit : NULL);
    return am_ok;
}

static Term set_queue_high(Inet *d, int32_t value) { return set_queue_limits(d, value, true); }
static Term set_queue_low(Inet *d, int32_t value) { return set_queue_limits(d, value, false); }

const InetLocalOption inet_local_options[OPTIONS] = {
    [OPTION_BUFFER] = {get_buffer, set_buffer},
    [OPTION_HEADER] = {get_header, set_header},
    [OPTION_PACKET] = {get_packet, set_packet},
    [OPTION_MODE] = {get_mode, set_mode},
    [OPTION_DELIVER] = {get_deliver, set_deliver},
    [OPTION_EXIT_ON_CLOSE] = {get_exits_on_close, set_exits_on_close},
    [OPTION_PACKET_SIZE] = {get_packet_size, set_packet_size},
    [OPTION_HIGH_MSGQ_WATERMARK] = {get_queue_high, set_queue_high},
    [OPTION_LOW_MSGQ_WATERMARK] = {get_queue_low, set_queue_low},
    [OPTION_SHOW_ECONNRESET] = {get_shows_reset, set_shows_reset},
    [OPTION_LINE_DELIMITER] = {NULL, set_line_delimiter},
    [OPTION_DEBUG] = {get_is_debug, set_is_debug},
    [OPTION_READ_AHEAD] = {get_reads_ahead, set_reads_ahead},
    [OPTION_EXCLUSIVEADDRUSE] = {get_false, set_false},
    [OPTION_NON_BLOCK_SEND] = {get_false, set_false},
};
