#include "terminal/mode.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/leave.h"

static struct termios before, ours; /* written before `is_changed` */
static _Atomic bool is_changed;
static bool ctrl_c_is_a_key;

void terminal_end(void) {
    if (atomic_exchange(&is_changed, false))
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

void terminal_pause(void) {
    if (atomic_load(&is_changed))
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

void terminal_go_on(void) {
    if (atomic_load(&is_changed))
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &ours);
}

/* Ctrl-C ends the runtime, as long as nobody has other plans. On whichever thread it interrupts. */
static void interrupted(int number) {
    terminal_end();
    signal(number, SIG_DFL);
    raise(number);
}

static void watch_interrupts(void) {
    struct sigaction now;
    if (sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        signal(SIGINT, interrupted);
}

static struct termios changed(TerminalMode mode) {
    struct termios now = before;
    if (!mode.keeps_lines) {
        now.c_iflag &= ~(tcflag_t)(ISTRIP | ICRNL | INLCR | IGNCR);
        now.c_oflag &= ~(tcflag_t)OPOST;
        now.c_lflag &= ~(tcflag_t)ICANON;
        now.c_cc[VMIN] = 1;
        now.c_cc[VTIME] = 0;
    }
    if (!mode.echoes)
        now.c_lflag &= ~(tcflag_t)ECHO;
    if (mode.ignores_interrupts || ctrl_c_is_a_key)
        now.c_lflag &= ~(tcflag_t)ISIG;
    return now;
}

int terminal_begin(TerminalMode mode) {
    if (!atomic_load(&is_changed) && tcgetattr(STDIN_FILENO, &before) != 0)
        return errno;
    if (!isatty(STDOUT_FILENO))
        return ENOTTY;
    ours = changed(mode);
    if (tcsetattr(STDIN_FILENO, TCSANOW, &ours) != 0)
        return errno;
    runtime_leave_add(terminal_end);
    watch_interrupts();
    atomic_store(&is_changed, true);
    return 0;
}

void terminal_make_ctrl_c_a_key(void) {
    ctrl_c_is_a_key = true;
    (void)terminal_begin((TerminalMode){.keeps_lines = true, .echoes = true});
}

bool terminal_size(unsigned *columns, unsigned *rows) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return false;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return true;
}
