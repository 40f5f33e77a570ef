#include "port/select_report.h"

#include <string.h>

#include "process/report.h"
#include "sys/fd_poll.h"
#include "term/print.h"

/* The name that the port was opened with says more only where it is another. */
static void put_names(Text *to, const Port *port, const char *quote) {
    const char *driver = port->driver->entry->driver_name;
    text_format(to, "%s%s%s ", quote, driver, quote);
    if (strcmp(driver, port->name) != 0)
        text_format(to, "(%s) ", port->name);
}

void select_put_loser(Text *to, const Port *port, unsigned events) {
    static const char *const kinds[] = {"input", "output"};
    bool is_first = true;
    for (unsigned i = 0; i < array_length(kinds); i++) {
        if (!(events & (i == 0 ? FD_READ : FD_WRITE)))
            continue;
        text_format(to, "%s%s driver ", is_first ? "" : "and ", kinds[i]);
        put_names(to, port, "");
        print_port(to, port_id(port));
        text_byte(to, ' ');
        is_first = false;
    }
}

static void put_call(Text *to, const SelectCall *call) {
    static const struct {
        int flag;
        const char *name;
    } modes[] = {{ERL_DRV_READ, "ERL_DRV_READ"}, {ERL_DRV_WRITE, "ERL_DRV_WRITE"}, {ERL_DRV_USE, "ERL_DRV_USE"}};
    const char *separator = "";
    text_format(to, "driver_select(0x%016llx, %d, ", (unsigned long long)(uintptr_t)call->port, call->fd);
    for (size_t i = 0; i < array_length(modes); i++) {
        if (!(call->mode & modes[i].flag))
            continue;
        text_format(to, "%s%s", separator, modes[i].name);
        separator = " ";
    }
    text_format(to, ", %d) by ", call->on);
    put_names(to, call->port, "");
    text_string(to, "driver ");
    print_port(to, port_id(call->port));
}

void select_report_stolen(const SelectCall *call, FdLoss *loss) {
    if (!loss->is)
        return;
    TEXT(by);
    put_call(&by, call);
    fd_loss_finish(loss, call->fd, text_cstring(&by));
}

/* A negative one is an error that is told to the driver alone. */
void select_report_too_large(const SelectCall *call) {
    if (call->fd < 0)
        return;
    TEXT(by);
    put_call(&by, call);
    fd_report_too_large(call->fd, text_cstring(&by));
}

void select_report_bad(const Port *port, int fd, unsigned events) {
    TEXT(who);
    text_string(&who, "port=");
    print_port(&who, port_id(port));
    text_format(&who, ", driver=%s, name=%s", port->driver->entry->driver_name, port->name);
    fd_report_bad(fd, events & FD_READ, events & FD_WRITE, text_cstring(&who));
}

void select_report_no_callback(const Port *port, bool is_input) {
    TEXT(text);
    print_port(&text, port_id(port));
    text_format(&text, ": %s driver ", is_input ? "Input" : "Output");
    put_names(&text, port, "'");
    text_format(&text, "does not implement the ready_%s() callback!\n", is_input ? "input" : "output");
    report_of_runtime(text_cstring(&text));
}

void select_report_no_stop(int fd) {
    TEXT(text);
    text_format(&text, "Driver does not implement stop_select callback (event=%d, private=0x0000000000000000)!\n", fd);
    report_of_runtime(text_cstring(&text));
}

void select_report_left(const Port *port) {
    TEXT(text);
    print_port(&text, port_id(port));
    text_string(&text, ": <unknown>:  driver gone away without deselecting!\n");
    report_of_runtime(text_cstring(&text));
}
