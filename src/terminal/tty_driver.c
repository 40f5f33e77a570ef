#include "terminal/tty_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "base/unicode.h"
#include "sys/standard_input.h"
#include "terminal/capabilities.h"
#include "terminal/mode.h"
#include "terminal/screen.h"

enum { PUT, MOVE, INSERT, DELETE, BEEP, PUT_AND_TELL };
enum { CONTROL_MAGIC = 0x018b0900, GET_SIZE = CONTROL_MAGIC + 100, GET_UNICODE, SET_UNICODE };

#define COLUMNS_DEFAULT 80
#define READ_BYTES 1024
#define BUSY_BYTES 8192

typedef struct {
    ErlDrvPort port;
    int write_fd;   /* its own, so that others do not find the terminal non-blocking; or standard output itself */
    unsigned told;  /* answers that wait until all is written */
    size_t partial; /* of a character whose rest has not been read */
    uint8_t bytes[UTF8_MAX_BYTES];
    Screen screen;
} Tty;

static _Atomic bool is_open;

static Tty *tty_of(ErlDrvData data) { return (Tty *)data; }
static ErlDrvEvent event_of(int fd) { return (ErlDrvEvent)(intptr_t)fd; }

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static unsigned columns_now(void) {
    unsigned columns, rows;
    return terminal_size(&columns, &rows) ? columns : COLUMNS_DEFAULT;
}

static void stop(ErlDrvData data) {
    Tty *t = tty_of(data);
    (void)driver_select(t->port, event_of(STDIN_FILENO), ERL_DRV_READ | ERL_DRV_USE, 0);
    (void)driver_select(t->port, event_of(t->write_fd), ERL_DRV_WRITE | ERL_DRV_USE, 0);
    if (t->write_fd != STDOUT_FILENO)
        close(t->write_fd);
    terminal_end();
    screen_release(&t->screen);
    mem_free(ALLOC_PORT, t);
    atomic_store(&is_open, false);
}

static ErlDrvData begin(ErlDrvPort port, int write_fd) {
    Tty *t = mem_calloc(ALLOC_PORT, sizeof *t);
    t->port = port;
    t->write_fd = write_fd;
    screen_init(&t->screen, columns_now(), glyphs_are_unicode());
    if (driver_select(port, event_of(STDIN_FILENO), ERL_DRV_READ | ERL_DRV_USE, 1) == 0)
        return (ErlDrvData)t;
    stop((ErlDrvData)t);
    return ERL_DRV_ERROR_GENERAL;
}

static ErlDrvData start(ErlDrvPort port, char *command, SysDriverOpts *unused) {
    if (atomic_exchange(&is_open, true))
        return ERL_DRV_ERROR_GENERAL;
    if (capabilities_load() && terminal_begin((TerminalMode){.echoes = false}) == 0) {
        int own = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        return begin(port, own >= 0 ? own : STDOUT_FILENO); /* a terminal that is another user's cannot be opened */
    }
    atomic_store(&is_open, false);
    return ERL_DRV_ERROR_GENERAL;
}

/* --- what is written ---------------------------------------------------------------------------------------------- */

static void tell_written(Tty *t) {
    ErlDrvTermData spec[] = {
        ERL_DRV_PORT, driver_mk_port(t->port), ERL_DRV_ATOM, driver_mk_atom((char *)"ok"), ERL_DRV_TUPLE, 2};
    for (; t->told > 0; t->told--)
        (void)erl_drv_output_term(driver_mk_port(t->port), spec, array_length(spec));
}

/* How many bytes; none where the terminal takes none now. False: it is gone. */
static bool write_some(Tty *t, const char *bytes, size_t size, size_t *written) {
    ssize_t done = write(t->write_fd, bytes, size);
    *written = done < 0 ? 0 : (size_t)done;
    if (done >= 0 || errno == EAGAIN || errno == EINTR)
        return true;
    (void)driver_failure_posix(t->port, errno);
    return false;
}

/* False: it cannot be waited for, and the port ends. */
static bool write_later(Tty *t, const char *bytes, size_t size) {
    (void)driver_enq(t->port, (char *)bytes, size);
    if (driver_select(t->port, event_of(t->write_fd), ERL_DRV_WRITE | ERL_DRV_USE, 1) != 0) {
        (void)driver_failure_posix(t->port, errno);
        return false;
    }
    if (driver_sizeq(t->port) > BUSY_BYTES)
        set_busy_port(t->port, 1);
    return true;
}

static void flush(Tty *t) {
    Text *out = &t->screen.out;
    size_t written = 0;
    if (driver_sizeq(t->port) == 0 && out->size > 0 && !write_some(t, out->bytes, out->size, &written))
        return;
    if (written < out->size && !write_later(t, out->bytes + written, out->size - written))
        return;
    text_clear(out);
    if (driver_sizeq(t->port) == 0)
        tell_written(t);
}

static void ready_output(ErlDrvData data, ErlDrvEvent event) {
    Tty *t = tty_of(data);
    int count;
    size_t written;
    SysIOVec *queued = driver_peekq(t->port, &count);
    if (queued != NULL && count > 0) {
        if (!write_some(t, queued[0].iov_base, queued[0].iov_len, &written))
            return;
        (void)driver_deq(t->port, written);
    }
    if (driver_sizeq(t->port) < BUSY_BYTES / 2)
        set_busy_port(t->port, 0);
    if (driver_sizeq(t->port) > 0)
        return;
    (void)driver_select(t->port, event, ERL_DRV_WRITE, 0);
    tell_written(t);
}

/* Two bytes, the higher one first. */
static int count_in(const uint8_t *bytes, size_t size) {
    return size < 2 ? 0 : (int16_t)((uint16_t)bytes[0] << 8 | bytes[1]);
}

static void output(ErlDrvData data, char *bytes, ErlDrvSizeT size) {
    Tty *t = tty_of(data);
    Screen *s = &t->screen;
    const uint8_t *text = (const uint8_t *)bytes + 1;
    if (size == 0)
        return;
    screen_resize(s, columns_now());
    switch (bytes[0]) {
    case PUT_AND_TELL: t->told++; __attribute__((fallthrough));
    case PUT: screen_put(s, text, size - 1); break;
    case MOVE: screen_move(s, count_in(text, size - 1)); break;
    case INSERT: screen_insert(s, text, size - 1); break;
    case DELETE: screen_delete(s, count_in(text, size - 1)); break;
    case BEEP: screen_beep(s); break;
    default: break;
    }
    flush(t);
}

/* --- keys --------------------------------------------------------------------------------------------------------- */

/* Of those, the ones before a character whose rest is to come, or before bytes that are none. */
static size_t whole_characters(const uint8_t *bytes, size_t size, Utf8Status *stopped_by) {
    const uint8_t *at = bytes, *end = bytes + size;
    uint32_t character;
    *stopped_by = UTF8_OK;
    while (at < end && (*stopped_by = utf8_decode(&at, end, &character)) == UTF8_OK)
        continue;
    return (size_t)(at - bytes);
}

static void keys_in_latin1(Tty *t, const uint8_t *bytes, size_t size) {
    uint8_t all[2 * (READ_BYTES + UTF8_MAX_BYTES)];
    size_t out = 0;
    for (size_t i = 0; i < size; i++)
        out += utf8_encode(bytes[i], all + out);
    (void)driver_output(t->port, (char *)all, out);
}

/* Who types what is not UTF-8 has a terminal of another character set: from there on it is one of bytes, as in the
 * stock runtime (which forgets what has been read together with the byte, and stands before it). `user_drv` knows of
 * characters only. */
static void keys_in_unicode(Tty *t, const uint8_t *bytes, size_t size) {
    uint8_t all[READ_BYTES + UTF8_MAX_BYTES];
    Utf8Status stopped_by;
    memcpy(all, t->bytes, t->partial);
    memcpy(all + t->partial, bytes, size);
    size += t->partial;
    size_t whole = whole_characters(all, size, &stopped_by);
    bool is_unicode = stopped_by != UTF8_ERROR;
    t->screen.line.is_unicode = is_unicode;
    t->partial = is_unicode ? size - whole : 0;
    memcpy(t->bytes, all + whole, t->partial);
    if (whole > 0)
        (void)driver_output(t->port, (char *)all, whole);
    if (!is_unicode)
        keys_in_latin1(t, all + whole, size - whole);
}

static void ready_input(ErlDrvData data, ErlDrvEvent event) {
    Tty *t = tty_of(data);
    uint8_t bytes[READ_BYTES];
    ssize_t size = input_read(STDIN_FILENO, bytes, sizeof bytes);
    if (size > 0)
        (t->screen.line.is_unicode ? keys_in_unicode : keys_in_latin1)(t, bytes, (size_t)size);
    else if (size == 0 || (errno != EAGAIN && errno != EINTR))
        (void)driver_failure_eof(t->port); /* a terminal that is gone says EIO */
}

/* --- questions ---------------------------------------------------------------------------------------------------- */

static ErlDrvSSizeT answer(const void *bytes, size_t size, char **result) {
    memcpy(*result, bytes, size); /* there is always room for 64 */
    return (ErlDrvSSizeT)size;
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned command, char *bytes, ErlDrvSizeT size, char **result,
                            ErlDrvSizeT room) {
    Tty *t = tty_of(data);
    unsigned window[2];
    uint8_t was = t->screen.line.is_unicode;
    switch (command) {
    case GET_SIZE: return terminal_size(&window[0], &window[1]) ? answer(window, sizeof window, result) : 0;
    case SET_UNICODE:
        if (size == 0)
            return 0;
        t->screen.line.is_unicode = bytes[0] != 0;
        return answer(&was, 1, result);
    case GET_UNICODE: return answer(&was, 1, result);
    default: return -1;
    }
}

const ErlDrvEntry tty_driver = {.driver_name = (char *)"tty_sl",
                                .start = start,
                                .stop = stop,
                                .output = output,
                                .ready_input = ready_input,
                                .ready_output = ready_output,
                                .control = control,
                                .extended_marker = (int)ERL_DRV_EXTENDED_MARKER,
                                .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
                                .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION};
