#include "inet/udp.h"

#include <errno.h>

#include "alloc/alloc.h"
#include "inet/address.h"
#include "inet/requests.h"
#include "inet/tell.h"
#include "inet/timers.h"
#include "inet/udp_receive.h"
#include "inet/udp_send.h"
#include "sys/release.h"
#include "term/atom.h"

#define READ_PACKETS 5

static Inet *inet_behind(ErlDrvData data) { return (Inet *)data; }

/* --- options ------------------------------------------------------------------------------------------------------ */

static int32_t get_read_packets(const Inet *d) { return ((const Udp *)d)->read_packets; }
static Term set_read_packets(Inet *d, int32_t value) {
    if (value <= 0)
        return am_einval;
    ((Udp *)d)->read_packets = value;
    return am_ok;
}

static const InetLocalOption options[OPTIONS] = {
    [OPTION_READ_PACKETS] = {get_read_packets, set_read_packets},
};

static void activity_changed(Inet *d, int32_t before) {
    if (d->fd >= 0)
        udp_receive_now(d);
}

/* --- connecting --------------------------------------------------------------------------------------------------- */

/* It has nobody in particular to send to any more. 0, or an error number. */
static int forget_peer(Inet *d) {
    struct sockaddr none = {.sa_family = AF_UNSPEC};
    d->state &= ~(unsigned)INET_CONNECTED;
    return connect(d->fd, &none, sizeof none) == 0 ? 0 : errno;
}

static Term disconnect(Inet *d) {
    int error = forget_peer(d);
    return error == 0 ? am_ok : inet_error(error);
}

/* The system keeps the address that it chose for the peer before, which may not reach another: the one it had is given
 * up first. So is what was chosen for one that cannot be reached. */
static Term connect_to(Inet *d, Reader *r) {
    InetAddress to;
    (void)reader_u32(r); /* a timeout: nothing is waited for */
    Term result = r->bad ? am_einval : inet_address_take(d, r, &to);
    if (result != am_ok)
        return result;
    if (d->state & INET_CONNECTED)
        (void)forget_peer(d);
    if (connect(d->fd, &to.any, to.size) != 0) {
        result = inet_error(errno);
        (void)forget_peer(d);
        return result;
    }
    d->state |= INET_CONNECTED;
    return am_ok;
}

static Term connect_or_not(Inet *d, Reader *r, Text *answer) {
    if (d->fd < 0)
        return am_exbadport;
    Term result = reader_left(r) == 0 ? disconnect(d) : connect_to(d, r);
    if (result == am_ok && !release_has(RELEASE_CONNECTED_AT_ONCE)) {
        InetWait wait = {inet_caller(d), inet_next_id(d, answer), REQUEST_CONNECT, NULL};
        inet_tell_async(d, &wait, am_ok);
    }
    return result;
}

/* --- the driver --------------------------------------------------------------------------------------------------- */

static InetRequest *const requests[REQUESTS] = {
    [REQUEST_CONNECT] = connect_or_not,
    [REQUEST_PACKET_RECEIVE] = udp_receive,
};

static const InetDriver udp = {.type = SOCK_DGRAM,
                               .protocol = IPPROTO_UDP,
                               .keeps_kind = true,
                               .passive_tag = am_udp_passive,
                               .requests = requests,
                               .options = options,
                               .activity_changed = activity_changed,
                               .opened = udp_receive_now,
                               .close = inet_close_fd};

static ErlDrvData start(ErlDrvPort port, char *command, SysDriverOpts *unused) {
    Udp *u = mem_calloc(ALLOC_PORT, sizeof *u);
    inet_init(&u->inet, port, &udp);
    u->read_packets = READ_PACKETS;
    return (ErlDrvData)u;
}

/* Who waits has waited on when it was closed by request: it may have been opened again. */
static void stop(ErlDrvData data) {
    Inet *d = inet_behind(data);
    inet_wait_end(d, am_closed);
    inet_close_fd(d);
    inet_release(d);
    mem_free(ALLOC_PORT, d);
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned command, char *bytes, ErlDrvSizeT size, char **result,
                            ErlDrvSizeT room) {
    return inet_control(inet_behind(data), command, bytes, size, result, room);
}

static void outputv(ErlDrvData data, ErlIOVec *v) { udp_send(inet_behind(data), v); }
static void timeout(ErlDrvData data) { inet_timers_run(inet_behind(data)); }
static void ready_input(ErlDrvData data, ErlDrvEvent event) { udp_receive_ready(inet_behind(data)); }

const ErlDrvEntry udp_driver = {.driver_name = (char *)"udp_inet",
                                .start = start,
                                .stop = stop,
                                .control = control,
                                .outputv = outputv,
                                .timeout = timeout,
                                .ready_input = ready_input,
                                .extended_marker = (int)ERL_DRV_EXTENDED_MARKER,
                                .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                                .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
                                .driver_flags =
                                    ERL_DRV_FLAG_USE_PORT_LOCKING | ERL_DRV_FLAG_SOFT_BUSY | DRIVER_AS_OUTPUT};
