#include "terminal/mode.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/leave.h"

static struct termios before; /* written before `is_changed` */
static _Atomic bool is_changed;

void terminal_end(void) {
    if (atomic_exchange(&is_changed, false))
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
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

/* Interrupts stay, and so does stopping the output; ends of lines come and go as they are. */
bool terminal_begin(void) {
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before) != 0)
        return false;
    struct termios now = before;
    now.c_iflag &= ~(tcflag_t)(ISTRIP | ICRNL | INLCR | IGNCR);
    now.c_oflag &= ~(tcflag_t)OPOST;
    now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    now.c_cc[VMIN] = 1;
    now.c_cc[VTIME] = 0;
    if (tcsetattr(STDIN_FILENO, TCSANOW, &now) != 0)
        return false;
    runtime_leave_hook = terminal_end;
    watch_interrupts();
    atomic_store(&is_changed, true);
    return true;
}

bool terminal_size(unsigned *columns, unsigned *rows) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return false;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return true;
}
