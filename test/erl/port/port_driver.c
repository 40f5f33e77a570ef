/* A driver that does what it is told by port_control: what drivers may ask of the runtime. */
#include <errno.h>
#include <string.h>

#include "erl_driver.h"

typedef struct {
    ErlDrvPort port;
    ErlDrvMonitor monitor;
    ErlDrvBinary *kept;
} Data;

static Data *data_of(ErlDrvData d) { return (Data *)d; }

static ErlDrvData start(ErlDrvPort port, char *command) {
    char *argument = strchr(command, ' ');
    if (argument != NULL && strcmp(argument, " general") == 0)
        return ERL_DRV_ERROR_GENERAL;
    if (argument != NULL && strcmp(argument, " errno") == 0) {
        errno = EACCES;
        return ERL_DRV_ERROR_ERRNO;
    }
    if (argument != NULL && strcmp(argument, " badarg") == 0)
        return ERL_DRV_ERROR_BADARG;
    Data *d = driver_alloc(sizeof *d);
    memset(d, 0, sizeof *d);
    d->port = port;
    if (argument != NULL && strcmp(argument, " early") == 0) {
        ErlDrvTermData spec[] = {ERL_DRV_ATOM,         driver_mk_atom("early"), ERL_DRV_PORT,
                                 driver_mk_port(port), ERL_DRV_TUPLE,           2};
        erl_drv_output_term(driver_mk_port(port), spec, sizeof spec / sizeof *spec);
        driver_set_timer(port, 0);
    }
    return (ErlDrvData)d;
}

static void say(Data *d, char *what) {
    ErlDrvTermData spec[] = {
        ERL_DRV_ATOM, driver_mk_atom(what), ERL_DRV_PORT, driver_mk_port(d->port), ERL_DRV_TUPLE, 2};
    erl_drv_output_term(driver_mk_port(d->port), spec, sizeof spec / sizeof *spec);
}

static void stop(ErlDrvData data) {
    Data *d = data_of(data);
    driver_free_binary(d->kept);
    driver_free(d);
}

static void output(ErlDrvData data, char *bytes, ErlDrvSizeT size) { driver_output(data_of(data)->port, bytes, size); }

static void timeout(ErlDrvData data) { say(data_of(data), "timeout"); }

static void process_exit(ErlDrvData data, ErlDrvMonitor *monitor) {
    Data *d = data_of(data);
    ErlDrvTermData spec[] = {ERL_DRV_ATOM,  driver_mk_atom("process_exit"),
                             ERL_DRV_INT,   driver_compare_monitors(monitor, &d->monitor) == 0,
                             ERL_DRV_PID,   driver_get_monitored_process(d->port, monitor),
                             ERL_DRV_TUPLE, 3};
    erl_drv_output_term(driver_mk_port(d->port), spec, sizeof spec / sizeof *spec);
}

#define SEND(SPEC) erl_drv_send_term(driver_mk_port(d->port), driver_caller(d->port), SPEC, sizeof SPEC / sizeof *SPEC)

static int send_all_terms(Data *d) {
    static double floats[] = {1.5, -0.0, 1e300};
    static ErlDrvSInt64 low = -0x7fffffffffffffff - 1, little = 17;
    static ErlDrvUInt64 high = ~(ErlDrvUInt64)0;
    static char external[] = {(char)131, 104, 2, 97, 17, 98, 0, 0, 18, 103};
    ErlDrvBinary *binary = driver_alloc_binary(100);
    for (int i = 0; i < 100; i++)
        binary->orig_bytes[i] = (char)i;
    ErlDrvTermData spec[] = {
        ERL_DRV_NIL,
        ERL_DRV_ATOM,
        driver_mk_atom("an atom"),
        ERL_DRV_INT,
        (ErlDrvTermData)-5,
        ERL_DRV_INT,
        (ErlDrvTermData)low,
        ERL_DRV_UINT,
        high,
        ERL_DRV_INT64,
        (ErlDrvTermData)&low,
        ERL_DRV_INT64,
        (ErlDrvTermData)&little,
        ERL_DRV_UINT64,
        (ErlDrvTermData)&high,
        ERL_DRV_BINARY,
        (ErlDrvTermData)binary,
        70,
        20,
        ERL_DRV_BINARY,
        (ErlDrvTermData)binary,
        7,
        93,
        ERL_DRV_BINARY,
        (ErlDrvTermData)binary,
        0,
        100,
        ERL_DRV_BUF2BINARY,
        (ErlDrvTermData) "hello",
        5,
        ERL_DRV_BUF2BINARY,
        (ErlDrvTermData)binary->orig_bytes,
        99,
        ERL_DRV_BUF2BINARY,
        0,
        0,
        ERL_DRV_STRING,
        (ErlDrvTermData) "abc",
        3,
        ERL_DRV_STRING,
        (ErlDrvTermData) "",
        0,
        ERL_DRV_NIL,
        ERL_DRV_STRING_CONS,
        (ErlDrvTermData) "123",
        3,
        ERL_DRV_STRING_CONS,
        (ErlDrvTermData) "abc",
        3,
        ERL_DRV_FLOAT,
        (ErlDrvTermData)&floats[0],
        ERL_DRV_FLOAT,
        (ErlDrvTermData)&floats[1],
        ERL_DRV_FLOAT,
        (ErlDrvTermData)&floats[2],
        ERL_DRV_EXT2TERM,
        (ErlDrvTermData)external,
        sizeof external,
        ERL_DRV_ATOM,
        driver_mk_atom("x"),
        ERL_DRV_STRING,
        (ErlDrvTermData) "in",
        2,
        ERL_DRV_INT,
        3,
        ERL_DRV_LIST,
        3,
        ERL_DRV_INT,
        1,
        ERL_DRV_NIL,
        ERL_DRV_INT,
        2,
        ERL_DRV_TUPLE,
        0,
        ERL_DRV_MAP,
        2,
        ERL_DRV_MAP,
        0,
        ERL_DRV_PORT,
        driver_mk_port(d->port),
        ERL_DRV_PID,
        driver_connected(d->port),
        ERL_DRV_TUPLE,
        26,
    };
    int sent = SEND(spec);
    driver_free_binary(binary);
    return sent;
}

static int many_keys(Data *d) {
    ErlDrvTermData spec[40 * 4 + 2];
    for (int i = 0; i < 40; i++)
        memcpy(spec + 4 * i, (ErlDrvTermData[]){ERL_DRV_INT, i, ERL_DRV_INT, 2 * i}, 4 * sizeof *spec);
    spec[160] = ERL_DRV_MAP;
    spec[161] = 40;
    return SEND(spec);
}

static void send_bad_terms(Data *d, char *results) {
    static double infinite;
    static char external[] = {(char)131, 104, 2, 97};
    infinite = 1.0 / (d->port == NULL ? 1.0 : 0.0);
    ErlDrvBinary *binary = driver_alloc_binary(10);
    ErlDrvTermData none[] = {ERL_DRV_NIL}, two[] = {ERL_DRV_NIL, ERL_DRV_NIL}, few[] = {ERL_DRV_NIL, ERL_DRV_TUPLE, 2},
                   tag[] = {18}, zero[] = {0}, cut[] = {ERL_DRV_INT}, atom[] = {ERL_DRV_ATOM, driver_mk_port(d->port)},
                   pid[] = {ERL_DRV_PID, driver_mk_atom("a")}, port[] = {ERL_DRV_PORT, driver_connected(d->port)},
                   keys[] = {ERL_DRV_INT, 1, ERL_DRV_NIL, ERL_DRV_INT, 1, ERL_DRV_NIL, ERL_DRV_MAP, 2},
                   number[] = {ERL_DRV_FLOAT, (ErlDrvTermData)&infinite},
                   beyond[] = {ERL_DRV_BINARY, (ErlDrvTermData)binary, 5, 6},
                   term[] = {ERL_DRV_EXT2TERM, (ErlDrvTermData)external, sizeof external},
                   negative[] = {ERL_DRV_NIL, ERL_DRV_TUPLE, (ErlDrvTermData)-1};
    int n = 0;
    results[n++] = (char)erl_drv_send_term(driver_mk_port(d->port), driver_caller(d->port), none, 0);
    results[n++] = (char)SEND(two);
    results[n++] = (char)SEND(few);
    results[n++] = (char)SEND(tag);
    results[n++] = (char)SEND(zero);
    results[n++] = (char)SEND(cut);
    results[n++] = (char)SEND(atom);
    results[n++] = (char)SEND(pid);
    results[n++] = (char)SEND(port);
    results[n++] = (char)SEND(keys);
    results[n++] = (char)SEND(number);
    results[n++] = (char)SEND(beyond);
    results[n++] = (char)SEND(term);
    results[n++] = (char)SEND(negative);
    driver_free_binary(binary);
}

/* A port that is created here gets a timer, and says so. */
static void create(Data *d) {
    Data *fresh = driver_alloc(sizeof *fresh);
    memset(fresh, 0, sizeof *fresh);
    fresh->port = driver_create_port(d->port, driver_caller(d->port), "port_driver", (ErlDrvData)fresh);
    ErlDrvTermData spec[] = {
        ERL_DRV_ATOM, driver_mk_atom("created"), ERL_DRV_PORT, driver_mk_port(fresh->port), ERL_DRV_TUPLE, 2};
    erl_drv_output_term(driver_mk_port(d->port), spec, sizeof spec / sizeof *spec);
    driver_set_timer(fresh->port, 10);
}

static ErlDrvSSizeT numbers(char *to, const int *from, int count) {
    for (int i = 0; i < count; i++)
        to[i] = (char)from[i];
    return count;
}

static ErlDrvSSizeT timers(Data *d, char *to) {
    unsigned long none = 99, left = 0;
    driver_read_timer(d->port, &none);
    driver_set_timer(d->port, 100000);
    driver_read_timer(d->port, &left);
    int results[] = {(int)none,
                     left > 90000 && left <= 100000,
                     driver_cancel_timer(d->port),
                     driver_cancel_timer(d->port),
                     driver_set_timer(d->port, 20),
                     driver_set_timer(d->port, 5)};
    return numbers(to, results, 6);
}

static ErlDrvSSizeT monitors(Data *d, char *to) {
    ErlDrvMonitor one;
    int results[] = {driver_monitor_process(d->port, driver_caller(d->port), &one),
                     driver_get_monitored_process(d->port, &one) == driver_caller(d->port),
                     driver_demonitor_process(d->port, &one),
                     driver_demonitor_process(d->port, &one) > 0,
                     driver_get_monitored_process(d->port, &one) == driver_term_nil,
                     driver_monitor_process(d->port, driver_caller(d->port), &d->monitor)};
    return numbers(to, results, 6);
}

static ErlDrvSSizeT binary_counts(Data *d, char *to) {
    ErlDrvBinary *b = driver_alloc_binary(10);
    b->orig_bytes[9] = 'x';
    int first = (int)driver_binary_get_refc(b), more = (int)driver_binary_inc_refc(b),
        less = (int)driver_binary_dec_refc(b);
    b = driver_realloc_binary(b, 20);
    int results[] = {first, more, less, b->orig_bytes[9], (int)b->orig_size};
    driver_free_binary(b);
    return numbers(to, results, 5);
}

static ErlDrvSSizeT binary_result(Data *d, char **to, size_t size) {
    ErlDrvBinary *b = driver_alloc_binary(size);
    memset(b->orig_bytes, 'b', size);
    driver_binary_inc_refc(b);
    driver_free_binary(d->kept);
    d->kept = b;
    set_port_control_flags(d->port, PORT_CONTROL_FLAG_BINARY);
    *to = (char *)b;
    return (ErlDrvSSizeT)size;
}

static ErlDrvSSizeT long_result(Data *d, char **to, size_t size) {
    set_port_control_flags(d->port, 0);
    *to = driver_alloc(size);
    memset(*to, 'l', size);
    return (ErlDrvSSizeT)size;
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned int command, char *bytes, ErlDrvSizeT size, char **to,
                            ErlDrvSizeT room) {
    Data *d = data_of(data);
    if (command != 'n')
        set_port_control_flags(d->port, command == 'b' ? PORT_CONTROL_FLAG_BINARY : 0);
    switch (command) {
    case 'b':
    case 'e': memcpy(*to, bytes, size < room ? size : room); return (ErlDrvSSizeT)(size < room ? size : room);
    case 'B': return binary_result(d, to, 1000);
    case 'S': return binary_result(d, to, 10);
    case 'l': return long_result(d, to, 500);
    case 'z': *to = NULL; return 0;
    case 'n': return 0;
    case 'R': return (ErlDrvSSizeT)room;
    case 't': **to = (char)send_all_terms(d); return 1;
    case 'k': **to = (char)many_keys(d); return 1;
    case 'x': send_bad_terms(d, *to); return 14;
    case 'T': return timers(d, *to);
    case 'm': return monitors(d, *to);
    case 'c': create(d); return 0;
    case 'r': return binary_counts(d, *to);
    case 'q': driver_failure_atom(d->port, "told"); return 0;
    case 'p': driver_failure_posix(d->port, EACCES); return 0;
    case 'i': driver_failure(d->port, 17); return 0;
    case 'o': driver_failure(d->port, 0); return 0;
    case 'E': driver_failure_eof(d->port); return 0;
    case 'C': **to = (char)(driver_caller(d->port) == driver_connected(d->port)); return 1;
    default: return -1;
    }
}

static ErlDrvSSizeT call(ErlDrvData data, unsigned int command, char *bytes, ErlDrvSizeT size, char **to,
                         ErlDrvSizeT room, unsigned int *flags) {
    static char kept[200];
    if (command == 0)
        return -1;
    if (command == 1 && size <= sizeof kept) {
        *to = kept;
        *flags |= DRIVER_CALL_KEEP_BUFFER;
    } else if (size > room) {
        *to = driver_alloc(size);
    }
    memcpy(*to, bytes, size);
    return command == 2 ? 1 : (ErlDrvSSizeT)size;
}

static ErlDrvEntry entry = {.driver_name = "port_driver",
                            .start = start,
                            .stop = stop,
                            .output = output,
                            .control = control,
                            .call = call,
                            .timeout = timeout,
                            .process_exit = process_exit,
                            .extended_marker = (int)ERL_DRV_EXTENDED_MARKER,
                            .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                            .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
                            .driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING};

DRIVER_INIT(port_driver) { return &entry; }
