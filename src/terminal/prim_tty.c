#include "terminal/prim_tty.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "base/defs.h"
#include "sys/errno_name.h"
#include "sys/standard_input.h"
#include "terminal/mode.h"
#include "terminal/termcap.h"

#define READ_BYTES 1024
#define SEQUENCE_BYTES 256

typedef struct {
    bool is_begun; /* its mode is set */
    TerminalMode mode;
} Tty;

static ErlNifResourceType *tty_type;
static int signal_pipe[2] = {-1, -1}; /* written once, by the first that waits for signals */
static locale_t locale_now;           /* of the environment, once it was asked for; written once */

/* --- terms -------------------------------------------------------------------------------------------------------- */

static ERL_NIF_TERM atom(ErlNifEnv *env, const char *name) { return enif_make_atom(env, name); }
static ERL_NIF_TERM ok(ErlNifEnv *env, ERL_NIF_TERM value) { return enif_make_tuple2(env, atom(env, "ok"), value); }
static ERL_NIF_TERM error(ErlNifEnv *env, ERL_NIF_TERM reason) {
    return enif_make_tuple2(env, atom(env, "error"), reason);
}

static ERL_NIF_TERM errno_atom(ErlNifEnv *env, int number) { return atom(env, errno_name(number)); }

static ERL_NIF_TERM failed(ErlNifEnv *env, const char *function, int number) {
    return error(env, enif_make_tuple2(env, atom(env, function), errno_atom(env, number)));
}

static Tty *tty_in(ErlNifEnv *env, ERL_NIF_TERM term) {
    void *tty;
    return enif_get_resource(env, term, tty_type, &tty) ? tty : NULL;
}

static bool is_atom_named(ErlNifEnv *env, ERL_NIF_TERM term, const char *name) {
    return enif_is_identical(term, atom(env, name));
}

/* A flag of a map; false where there is none. */
static bool has_option(ErlNifEnv *env, ERL_NIF_TERM options, const char *name, bool by_default) {
    ERL_NIF_TERM value;
    if (!enif_get_map_value(env, options, atom(env, name), &value))
        return by_default;
    return is_atom_named(env, value, "true");
}

/* --- the terminal ------------------------------------------------------------------------------------------------- */

static int standard_fd(ErlNifEnv *env, ERL_NIF_TERM name) {
    static const char *const names[] = {"stdin", "stdout", "stderr"};
    for (int fd = 0; fd < (int)array_length(names); fd++)
        if (is_atom_named(env, name, names[fd]))
            return fd;
    return -1;
}

static ERL_NIF_TERM is_terminal(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    int fd = standard_fd(env, argv[0]);
    if (fd < 0)
        return enif_make_badarg(env);
    if (isatty(fd))
        return atom(env, "true");
    return atom(env, errno == EBADF ? "ebadf" : "false");
}

static ERL_NIF_TERM create(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Tty *tty = enif_alloc_resource(tty_type, sizeof *tty);
    *tty = (Tty){.is_begun = false};
    ERL_NIF_TERM term = enif_make_resource(env, tty);
    enif_release_resource(tty);
    return ok(env, term);
}

static ERL_NIF_TERM init(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Tty *tty = tty_in(env, argv[0]);
    if (tty == NULL || standard_fd(env, argv[1]) != STDOUT_FILENO || !enif_is_map(env, argv[2]))
        return enif_make_badarg(env);
    tty->mode = (TerminalMode){.keeps_lines = has_option(env, argv[2], "canon", false),
                               .echoes = has_option(env, argv[2], "echo", false),
                               .ignores_interrupts = !has_option(env, argv[2], "sig", true)};
    if (!isatty(STDIN_FILENO))
        return failed(env, "tcgetattr", errno);
    tty->is_begun = true;
    return atom(env, "ok");
}

static ERL_NIF_TERM set(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Tty *tty = tty_in(env, argv[0]);
    if (tty == NULL)
        return enif_make_badarg(env);
    int number = tty->is_begun ? terminal_begin(tty->mode) : 0;
    return number == 0 ? atom(env, "ok") : failed(env, "tcsetattr", number);
}

static ERL_NIF_TERM window_size(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    unsigned columns, rows;
    if (tty_in(env, argv[0]) == NULL)
        return enif_make_badarg(env);
    if (!terminal_size(&columns, &rows))
        return error(env, atom(env, "enotsup"));
    return ok(env, enif_make_tuple2(env, enif_make_uint(env, columns), enif_make_uint(env, rows)));
}

static ERL_NIF_TERM encoding(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { return atom(env, "utf8"); }

/* --- reading and writing ------------------------------------------------------------------------------------------ */

static bool wait_for(ErlNifEnv *env, int fd, Tty *tty, ERL_NIF_TERM reference) {
    return enif_select(env, (ErlNifEvent)fd, ERL_NIF_SELECT_READ, tty, NULL, reference) >= 0;
}

static void tell_signal(int number) {
    int before = errno;
    ssize_t ignored = write(signal_pipe[1], number == SIGCONT ? "c" : "w", 1);
    (void)ignored;
    errno = before;
}

static bool hear_signals(void) {
    struct sigaction action = {.sa_handler = tell_signal, .sa_flags = SA_RESTART};
    if (signal_pipe[0] < 0 && pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    return sigaction(SIGWINCH, &action, NULL) == 0 && sigaction(SIGCONT, &action, NULL) == 0;
}

static ERL_NIF_TERM wait_for_input(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Tty *tty = tty_in(env, argv[0]);
    if (tty == NULL)
        return enif_make_badarg(env);
    if (!hear_signals())
        return failed(env, "pipe", errno);
    if (!wait_for(env, signal_pipe[0], tty, argv[1]) || !wait_for(env, STDIN_FILENO, tty, argv[2]))
        return failed(env, "select", EINVAL);
    return atom(env, "ok");
}

static ERL_NIF_TERM read_signal(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Tty *tty = tty_in(env, argv[0]);
    char which;
    if (tty == NULL)
        return enif_make_badarg(env);
    if (read(signal_pipe[0], &which, 1) != 1)
        return failed(env, "read", errno);
    (void)wait_for(env, signal_pipe[0], tty, argv[1]);
    return ok(env, atom(env, which == 'c' ? "cont" : "winch"));
}

static ERL_NIF_TERM read_input(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Tty *tty = tty_in(env, argv[0]);
    char bytes[READ_BYTES];
    ERL_NIF_TERM binary;
    if (tty == NULL)
        return enif_make_badarg(env);
    ssize_t size = input_read(STDIN_FILENO, bytes, sizeof bytes);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
        return error(env, size == 0 || errno == EIO ? atom(env, "closed") : errno_atom(env, errno));
    size = size < 0 ? 0 : size;
    (void)wait_for(env, STDIN_FILENO, tty, argv[1]);
    memcpy(enif_make_new_binary(env, (size_t)size, &binary), bytes, (size_t)size);
    return ok(env, binary);
}

/* All of it, on a dirty thread: another one may have made the terminal non-blocking. 0, or an errno value. */
static int write_all(const uint8_t *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, size);
        if (written >= 0) {
            bytes += written;
            size -= (size_t)written;
        } else if (errno == EAGAIN) {
            (void)poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

static ERL_NIF_TERM write_output(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ErlNifBinary bytes;
    if (tty_in(env, argv[0]) == NULL || !enif_inspect_iolist_as_binary(env, argv[1], &bytes))
        return enif_make_badarg(env);
    int number = write_all(bytes.data, bytes.size);
    return number == 0 ? atom(env, "ok") : error(env, errno_atom(env, number));
}

/* --- characters --------------------------------------------------------------------------------------------------- */

static ERL_NIF_TERM boolean(ErlNifEnv *env, bool value) { return atom(env, value ? "true" : "false"); }

static ERL_NIF_TERM set_locale(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    if (tty_in(env, argv[0]) == NULL)
        return enif_make_badarg(env);
    if (locale_now == (locale_t)0)
        locale_now = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    bool is_known = locale_now != (locale_t)0;
    return boolean(env, is_known && strcmp(nl_langinfo_l(CODESET, locale_now), "UTF-8") == 0);
}

static ERL_NIF_TERM is_print(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    unsigned character;
    if (!enif_get_uint(env, argv[0], &character))
        return enif_make_badarg(env);
    return boolean(env, character < 0x80 && isprint((int)character));
}

static int columns_of(const wchar_t *text, size_t count) {
    locale_t before = uselocale(locale_now != (locale_t)0 ? locale_now : LC_GLOBAL_LOCALE);
    int columns = wcswidth(text, count);
    uselocale(before);
    return columns;
}

static ERL_NIF_TERM not_printable(ErlNifEnv *env) { return error(env, atom(env, "not_printable")); }

static ERL_NIF_TERM width(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    int character;
    if (!enif_get_int(env, argv[0], &character))
        return enif_make_badarg(env);
    wchar_t text = (wchar_t)character;
    int columns = columns_of(&text, character != 0);
    return columns < 0 ? not_printable(env) : enif_make_int(env, columns);
}

static ERL_NIF_TERM text_width(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ErlNifBinary text;
    if (!enif_inspect_iolist_as_binary(env, argv[0], &text))
        return enif_make_badarg(env);
    int columns = 0;
    for (size_t at = 0; at + sizeof(wchar_t) <= text.size && columns >= 0; at += sizeof(wchar_t)) {
        wchar_t character;
        memcpy(&character, text.data + at, sizeof character);
        int more = columns_of(&character, 1);
        columns = more < 0 ? -1 : columns + more;
    }
    return columns < 0 ? not_printable(env) : ok(env, enif_make_int(env, columns));
}

static ERL_NIF_TERM character_size(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    return enif_make_uint64(env, sizeof(wchar_t));
}

/* --- what the terminal can do ------------------------------------------------------------------------------------- */

/* A name of an iolist, which ends with NUL itself or is ended here. */
static bool name_in(ErlNifEnv *env, ERL_NIF_TERM term, char name[SEQUENCE_BYTES]) {
    ErlNifBinary text;
    if (!enif_inspect_iolist_as_binary(env, term, &text) || text.size >= SEQUENCE_BYTES)
        return false;
    memcpy(name, text.data, text.size);
    name[text.size] = '\0';
    return true;
}

static ERL_NIF_TERM text(ErlNifEnv *env, const char *bytes) {
    ERL_NIF_TERM binary;
    if (bytes == NULL)
        return atom(env, "false");
    size_t size = strlen(bytes);
    memcpy(enif_make_new_binary(env, size, &binary), bytes, size);
    return ok(env, binary);
}

static ERL_NIF_TERM get_entry(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    char name[SEQUENCE_BYTES];
    if (!name_in(env, argv[0], name))
        return enif_make_badarg(env);
    return termcap_load(name) ? atom(env, "ok") : failed(env, "tgetent", EPERM);
}

static ERL_NIF_TERM get_number(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    char name[SEQUENCE_BYTES];
    return name_in(env, argv[0], name) ? enif_make_int(env, termcap_number(name)) : enif_make_badarg(env);
}

static ERL_NIF_TERM get_flag(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    char name[SEQUENCE_BYTES];
    return name_in(env, argv[0], name) ? boolean(env, termcap_flag(name)) : enif_make_badarg(env);
}

static ERL_NIF_TERM get_string(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    char name[SEQUENCE_BYTES];
    return name_in(env, argv[0], name) ? text(env, termcap_string(name)) : enif_make_badarg(env);
}

static ERL_NIF_TERM go_to(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    char sequence[SEQUENCE_BYTES];
    int values[2] = {0, 0};
    bool is_good = name_in(env, argv[0], sequence);
    for (int i = 1; i < argc && is_good; i++)
        is_good = enif_get_int(env, argv[i], &values[i - 1]);
    return is_good ? text(env, termcap_go(sequence, values[0], values[1])) : enif_make_badarg(env);
}

/* --- the library -------------------------------------------------------------------------------------------------- */

static void stop_waiting(ErlNifEnv *env, void *tty, ErlNifEvent event, int is_direct_call) {}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    ErlNifResourceTypeInit callbacks = {.stop = stop_waiting};
    tty_type = enif_open_resource_type_x(env, "tty", &callbacks, ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER, NULL);
    return tty_type == NULL;
}

static int upgrade(ErlNifEnv *env, void **data, void **before, ERL_NIF_TERM info) { return load(env, data, info); }

static ErlNifFunc functions[] = {
    {"isatty", 1, is_terminal, 0},
    {"tty_create", 0, create, 0},
    {"tty_init", 3, init, 0},
    {"tty_set", 1, set, 0},
    {"setlocale", 1, set_locale, 0},
    {"tty_select", 3, wait_for_input, 0},
    {"tty_window_size", 1, window_size, 0},
    {"tty_encoding", 1, encoding, 0},
    {"write_nif", 2, write_output, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"read_nif", 2, read_input, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"isprint", 1, is_print, 0},
    {"wcwidth", 1, width, 0},
    {"wcswidth", 1, text_width, 0},
    {"sizeof_wchar", 0, character_size, 0},
    {"tgetent_nif", 1, get_entry, 0},
    {"tgetnum_nif", 1, get_number, 0},
    {"tgetflag_nif", 1, get_flag, 0},
    {"tgetstr_nif", 1, get_string, 0},
    {"tgoto_nif", 1, go_to, 0},
    {"tgoto_nif", 2, go_to, 0},
    {"tgoto_nif", 3, go_to, 0},
    {"tty_read_signal", 2, read_signal, 0},
};

const ErlNifEntry prim_tty_library = {.major = ERL_NIF_MAJOR_VERSION,
                                      .minor = ERL_NIF_MINOR_VERSION,
                                      .name = "prim_tty",
                                      .num_of_funcs = array_length(functions),
                                      .funcs = functions,
                                      .load = load,
                                      .upgrade = upgrade,
                                      .vm_variant = ERL_NIF_VM_VARIANT,
                                      .options = 1,
                                      .sizeof_ErlNifResourceTypeInit = sizeof(ErlNifResourceTypeInit),
                                      .min_erts = ERL_NIF_MIN_ERTS_VERSION};
