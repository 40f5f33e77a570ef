/* open_port/2: what is to be opened, and how; an atom says what is wrong. Source: erlang(3). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif/port/program.h"
#include "bif_table.h"
#include "port/driver_use.h"
#include "port/open.h"
#include "process/fd_table.h"
#include "process/request.h"
#include "sys/errno_name.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/stock_word.h"

#define LINE_MOST 512   /* of the option `line` */

/* --- options ------------------------------------------------------------------------------------------------------ */

typedef struct {
    PortOptions port;
    ProgramOptions program;
} Options;

static bool set_flag(Options *o, Term name) {
    switch (name) {
    case am_stream: o->port.packet_bytes = 0; return true;
    case am_line: o->port.line = LINE_MOST; return true;
    case am_binary: o->port.is_binary = true; return true;
    case am_in: o->port.reads = true; return true;
    case am_out: o->port.writes = true; return true;
    case am_eof: o->port.tells_eof = true; return true;
    case am_exit_status: o->port.tells_status = true; return true;
    case am_use_stdio: o->port.uses_stdio = true; return true;
    case am_nouse_stdio: o->port.uses_stdio = false; return true;
    case am_stderr_to_stdout: o->port.merges_stderr = true; return true;
    case am_hide: o->port.hides = true; return true;
    case am_overlapped_io: return true;
    default: return false;
    }
}

/* Of a driver, which may say that there is none: SIZE_MAX. */
static bool limit_decode(Term value, uint64_t *limit) {
    return is_integer(value) && integer_to_uint64(value, limit) && *limit >= 1 && *limit < SIZE_MAX;
}

/* {Low, High} in either order, or disabled. */
static bool set_limits(Term value, size_t *low, size_t *high) {
    if (value == am_disabled) {
        *low = *high = SIZE_MAX;
        return true;
    }
    uint64_t a, b;
    if (!is_tuple_arity(value, 2) || !limit_decode(tuple_elements(value)[0], &a) ||
        !limit_decode(tuple_elements(value)[1], &b))
        return false;
    *low = a < b ? a : b;
    *high = a < b ? b : a;
    return true;
}

static bool set_packet(Options *o, Term value) {
    if (value != small_make(1) && value != small_make(2) && value != small_make(4))
        return false;
    o->port.packet_bytes = (unsigned)small_value(value);
    return true;
}

static bool set_line(Options *o, Term value) {
    if (!is_small_within(value, 1, INT32_MAX))
        return false;
    o->port.line = (size_t)small_value(value);
    return true;
}

static bool set_value(Options *o, Term name, Term value) {
    switch (name) {
    case am_packet: return set_packet(o, value);
    case am_line: return set_line(o, value);
    case am_cd: o->program.folder = value; return true;
    case am_env: o->program.environment = value; return true;
    case am_args: o->program.arguments = value; return true;
    case am_arg0: o->program.first_argument = value; return true;
    case am_parallelism: o->port.is_parallel = value == am_true; return value == am_true || value == am_false;
    case am_busy_limits_port: return set_limits(value, &o->port.port_low, &o->port.port_high);
    case am_busy_limits_msgq: return set_limits(value, &o->port.queue_low, &o->port.queue_high);
    default: return false;
    }
}

static bool options_decode(Options *o, Term list) {
    *o = (Options){.port = port_defaults, .program = {NON_VALUE, NON_VALUE, NON_VALUE, NON_VALUE}};
    o->port.uses_stdio = true;
    for (; is_list(list); list = list_tail(list)) {
        Term option = list_head(list);
        bool is_good = is_tuple_arity(option, 2) ? set_value(o, tuple_elements(option)[0], tuple_elements(option)[1])
                                                 : set_flag(o, option);
        if (!is_good)
            return false;
    }
    if (!o->port.reads && !o->port.writes)
        o->port.reads = o->port.writes = true;
    return is_nil(list) && (o->port.line == 0 || o->port.packet_bytes == 0);
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static Term posix_atom(int error) { return atom_from_cstring(errno_name(error)); }

static Term opened(Process *p, Driver *driver, char *name, const Options *o, SysDriverOpts *start) {
    Term id;
    int error;
    switch (port_open(p, driver, name, name, &o->port, start, &id, &error)) {
    case OPEN_OK: return id;
    case OPEN_WAITS: return request_wait(p);
    case OPEN_SYSTEM_LIMIT: return am_system_limit;
    case OPEN_EINVAL: return posix_atom(EINVAL);
    case OPEN_ERRNO: return posix_atom(error);
    default: return am_badarg;
    }
}

static void close_if_open(int fd) {
    if (fd >= 0)
        close(fd);
}

static Term open_started(Process *p, char *name, const Options *o, const ChildStarted *c) {
    if (c->refused != 0)
        return posix_atom(c->refused);
    SysDriverOpts start = {c->read_fd, c->write_fd, c->child, c->pid, c->error};
    Term port = opened(p, driver_find_inner(&spawn_driver), name, o, &start);
    if (!is_port(port)) {
        close_if_open(c->read_fd);
        close_if_open(c->write_fd);
        if (c->child != CHILD_NONE)
            child_forget(c->child);
    }
    return port;
}

/* Called again when it has been started: what is to be is of no interest then. */
static Term open_program(Process *p, char *name, const Options *o, ChildSpec *spec, Term verdict) {
    ChildStarted started;
    spec->reads = o->port.reads;
    spec->writes = o->port.writes;
    spec->on_stdio = o->port.uses_stdio;
    spec->merges_stderr = o->port.merges_stderr;
    Term port = verdict == am_ok ? NON_VALUE : verdict;
    if (verdict == am_ok && child_start(p, spec, &started))
        port = open_started(p, name, o, &started);
    child_spec_release(spec);
    return port;
}

static Term open_command(Process *p, char *command, const Options *o) {
    ChildSpec spec = {0};
    Term verdict = program_of_command(&spec, command, &o->program);
    return open_program(p, command, o, &spec, verdict);
}

/* Is there such a file, and may it be run? 0, or an error number. */
static int look_at(const char *path) {
    struct stat s;
    if (stat(path, &s) != 0)
        return errno;
    return access(path, X_OK) == 0 ? 0 : errno;
}

static Term open_file(Process *p, char *path, const Options *o) {
    ChildSpec spec = {0};
    Term verdict = program_of_file(&spec, path, &o->program);
    int error = p->request == NULL && verdict == am_ok ? look_at(path) : 0;
    if (error == 0)
        return open_program(p, path, o, &spec, verdict);
    child_spec_release(&spec);
    return posix_atom(error);
}

/* Of what is no program. */
static bool fits_no_program(const Options *o) { return !o->port.tells_status && program_options_are_idle(&o->program); }

static bool is_descriptor(Term t) { return small_value(t) >= 0 && small_value(t) < fd_table_end(); }

/* Those of directions that are not wanted do not matter. */
static Term open_descriptors(Process *p, Term in, Term out, const Options *o) {
    char name[64];
    if (!is_stock_small(in) || !is_stock_small(out) || !fits_no_program(o))
        return am_badarg;
    if ((o->port.reads && !is_descriptor(in)) || (o->port.writes && !is_descriptor(out)))
        return posix_atom(EINVAL);
    int read_fd = (int)small_value(in), write_fd = (int)small_value(out);
    snprintf(name, sizeof name, "%d/%d", read_fd, write_fd);
    SysDriverOpts start = {o->port.reads ? read_fd : -1, o->port.writes ? write_fd : -1, CHILD_NONE, -1, 0};
    return opened(p, driver_find_inner(&fd_driver), name, o, &start);
}

/* A file's name, alone. Nobody waits for it to open, be it a pipe. Whatever is wrong with it is einval. */
static Term open_plain_file(Process *p, const char *path, size_t length, const Options *o) {
    int mode = !o->port.writes ? O_RDONLY : o->port.reads ? O_RDWR | O_CREAT : O_WRONLY | O_CREAT | O_TRUNC;
    if (!fits_no_program(o))
        return am_badarg;
    int fd = strlen(path) == length ? open(path, mode | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666) : -1;
    if (fd < 0)
        return am_einval;
    SysDriverOpts start = {o->port.reads ? fd : -1, o->port.writes ? fd : -1, CHILD_NONE, -1, 0};
    Term port = opened(p, driver_find_inner(&file_driver), (char *)path, o, &start);
    if (!is_port(port))
        close(fd);
    return port;
}

static Term open_alone(Process *p, Term name, const Options *o) {
    TEXT(path);
    if (is_atom(name))
        text_bytes(&path, (const char *)atom_name(name)->bytes, atom_name(name)->byte_count);
    else if (!is_list(name) || !text_from_latin1_list(&path, name))
        return am_badarg;
    return open_plain_file(p, text_cstring(&path), path.size, o);
}

/* The driver whose name is the first word, as driver_find has it. */
static Driver *driver_of_command(const char *command) {
    size_t length = strcspn(command, " ");
    char name[256];
    if (length == 0 || length >= sizeof name)
        return NULL;
    memcpy(name, command, length);
    name[length] = 0;
    return driver_find(name);
}

/* Limits of the port are for programs and descriptors, as more is for programs alone. */
static Term open_driver(Process *p, Driver *driver, char *text, const Options *o) {
    if (o->port.port_high == 0 && fits_no_program(o))
        return opened(p, driver, text, o, NULL);
    driver_disuse(driver, true);
    driver_release(driver);
    return am_badarg;
}

/* Drivers go before programs, but what drivers have come since one is being started is of no interest to it. */
static Term open_text(Process *p, Term kind, char *text, const Options *o) {
    if (kind == am_spawn_executable)
        return open_file(p, text, o);
    Driver *driver = p->request == NULL ? driver_of_command(text) : NULL;
    if (driver != NULL)
        return open_driver(p, driver, text, o);
    return kind == am_spawn ? open_command(p, text, o) : am_badarg;
}

static Term open_named(Process *p, Term kind, Term name, const Options *o) {
    bool is_known = kind == am_spawn || kind == am_spawn_executable || kind == am_spawn_driver;
    char *text = is_known && !is_nil(name) ? native_string(name) : NULL;
    Term port = text == NULL ? am_badarg : open_text(p, kind, text, o);
    mem_free(ALLOC_PORT, text);
    return port;
}

/* Called again when a driver has said that it has begun, whether it is still there or not, or a program is started,
 * which takes its own answer. */
Term erts_internal_open_port_2(Process *p, const Term *a) {
    Options o;
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    if (!options_decode(&o, a[1]))
        return am_badopt;
    const Term *e = is_tuple(a[0]) ? tuple_elements(a[0]) : NULL;
    if (is_tuple_arity(a[0], 2))
        return open_named(p, e[0], e[1], &o);
    if (is_tuple_arity(a[0], 3) && e[0] == am_fd)
        return open_descriptors(p, e[1], e[2], &o);
    return open_alone(p, a[0], &o);
}
