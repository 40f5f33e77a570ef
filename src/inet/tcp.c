#include "inet/tcp.h"

#include "alloc/alloc.h"
#include "inet/requests.h"
#include "inet/tcp_accept.h"
#include "inet/tcp_close.h"
#include "inet/tcp_connect.h"
#include "inet/tcp_receive.h"
#include "inet/tcp_send.h"
#include "inet/timers.h"
#include "term/atom.h"

#define HIGH_DEFAULT 8192
#define LOW_DEFAULT 4096

static Tcp *tcp_behind(ErlDrvData data) { return (Tcp *)data; }
static const InetDriver tcp;

/* --- options ------------------------------------------------------------------------------------------------------ */

#define GET_AND_SET(field)                                                                                             \
    static int32_t get_##field(const Inet *d) { return (int32_t)((const Tcp *)d)->field; }                             \
    static Term set_##field(Inet *d, int32_t value) {                                                                  \
        tcp_of(d)->field = (typeof(tcp_of(d)->field))value;                                                            \
        return am_ok;                                                                                                  \
    }
GET_AND_SET(send_timeout)
GET_AND_SET(closes_after_timeout)
GET_AND_SET(delays)

static int32_t get_high(const Inet *d) { return ((const Tcp *)d)->high; }
static int32_t get_low(const Inet *d) { return ((const Tcp *)d)->low; }

/* The low mark is never above the high one: the one that is set moves the other. */
static Term set_high(Inet *d, int32_t value) {
    Tcp *t = tcp_of(d);
    t->high = value < 0 ? 0 : value;
    if (t->low > t->high)
        t->low = t->high;
    return am_ok;
}

static Term set_low(Inet *d, int32_t value) {
    Tcp *t = tcp_of(d);
    t->low = value < 0 ? 0 : value;
    if (t->high < t->low)
        t->high = t->low;
    return am_ok;
}

static const InetLocalOption options[OPTIONS] = {
    [OPTION_HIGH_WATERMARK] = {get_high, set_high},
    [OPTION_LOW_WATERMARK] = {get_low, set_low},
    [OPTION_SEND_TIMEOUT] = {get_send_timeout, set_send_timeout},
    [OPTION_SEND_TIMEOUT_CLOSE] = {get_closes_after_timeout, set_closes_after_timeout},
    [OPTION_DELAY_SEND] = {get_delays, set_delays},
};

/* It may have lost its descriptor without its owner's knowing. */
static void activity_changed(Inet *d, int32_t before) {
    Tcp *t = tcp_of(d);
    if (before == INET_PASSIVE)
        t->is_over = false;
    if (d->fd >= 0 && tcp_is(t, INET_CONNECTED))
        tcp_receive_now(t);
    else if (d->fd < 0 && d->type != 0 && before == INET_PASSIVE && d->active != INET_PASSIVE)
        tcp_tell_late(t);
}

/* --- the driver --------------------------------------------------------------------------------------------------- */

static void close_it(Inet *d) { tcp_close(tcp_of(d)); }

static InetRequest *const requests[REQUESTS] = {
    [REQUEST_CONNECT] = tcp_connect,         [REQUEST_ACCEPT] = tcp_accept,
    [REQUEST_LISTEN] = tcp_listen,           [REQUEST_TCP_RECEIVE] = tcp_receive,
    [REQUEST_TCP_UNRECEIVE] = tcp_unreceive, [REQUEST_TCP_SHUTDOWN] = tcp_shutdown,
    [REQUEST_TCP_SENDFILE] = tcp_sendfile,
};

static const InetDriver tcp = {.type = SOCK_STREAM,
                               .passive_tag = am_tcp_passive,
                               .requests = requests,
                               .options = options,
                               .activity_changed = activity_changed,
                               .close = close_it};

static ErlDrvData start(ErlDrvPort port, char *command, SysDriverOpts *unused) {
    Tcp *t = mem_calloc(ALLOC_PORT, sizeof *t);
    inet_init(&t->inet, port, &tcp);
    t->high = HIGH_DEFAULT;
    t->low = LOW_DEFAULT;
    t->send_timeout = -1;
    t->late_send = t->late_receive = t->late_error = NON_VALUE;
    t->blocked = INET_SENDER_NONE;
    return (ErlDrvData)t;
}

static void stop(ErlDrvData data) {
    Tcp *t = tcp_behind(data);
    tcp_close(t);
    inet_release(&t->inet);
    mem_free(ALLOC_PORT, t);
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned command, char *bytes, ErlDrvSizeT size, char **result,
                            ErlDrvSizeT room) {
    return inet_control(&tcp_behind(data)->inet, command, bytes, size, result, room);
}

static void outputv(ErlDrvData data, ErlIOVec *v) { tcp_send(tcp_behind(data), v); }
static void flush(ErlDrvData data) { tcp_flush(tcp_behind(data)); }
static void timeout(ErlDrvData data) { inet_timers_run(&tcp_behind(data)->inet); }

static void ready_input(ErlDrvData data, ErlDrvEvent event) {
    Tcp *t = tcp_behind(data);
    if (tcp_is(t, INET_LISTENS))
        tcp_accept_ready(t);
    else if (tcp_is(t, INET_CONNECTED))
        tcp_receive_now(t);
}

static void ready_output(ErlDrvData data, ErlDrvEvent event) {
    Tcp *t = tcp_behind(data);
    if (tcp_is(t, INET_CONNECTS))
        tcp_connect_ready(t);
    else if (tcp_is(t, INET_CONNECTED))
        tcp_send_ready(t);
}

static void process_exit(ErlDrvData data, ErlDrvMonitor *monitor) { tcp_acceptor_gone(tcp_behind(data), monitor); }

const ErlDrvEntry tcp_driver = {.driver_name = (char *)"tcp_inet",
                                .start = start,
                                .stop = stop,
                                .control = control,
                                .outputv = outputv,
                                .flush = flush,
                                .timeout = timeout,
                                .ready_input = ready_input,
                                .ready_output = ready_output,
                                .process_exit = process_exit,
                                .extended_marker = (int)ERL_DRV_EXTENDED_MARKER,
                                .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                                .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
                                .driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING | ERL_DRV_FLAG_SOFT_BUSY};
