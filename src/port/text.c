#include "port/text.h"

#include <string.h>

#include "process/link.h"
#include "process/monitor.h"
#include "process/registry.h"
#include "term/node.h"
#include "term/print.h"

static void put_status(Text *to, const Port *port) {
    text_string(to, "State: CONNECTED");
    text_string(to, port->options.is_binary ? "|BINARY_IO" : "");
    text_string(to, port->options.tells_eof ? "|SOFT_EOF" : "");
    text_string(to, port_has_status(port, PORT_BUSY) ? "|PORT_BUSY" : "");
    text_string(to, port_has_status(port, PORT_CLOSING) ? "|CLOSING" : "");
    text_byte(to, '\n');
}

static void put_link(KeyNode *node, void *data) { print_term(data, node->key); }

static void put_watcher(KeyNode *node, void *data) {
    const Watcher *w = (const Watcher *)node;
    Term words[REF_WORDS + PID_REF_WORDS];
    Area area = {.top = words, .limit = words + array_length(words)};
    if (w->native != NULL)
        return;
    text_byte(data, '(');
    print_term(data, w->origin);
    text_byte(data, ',');
    print_ref(data, monitor_reference(&area, node->key, w->is_alias_reference ? w->origin : NON_VALUE));
    text_byte(data, ')');
}

static void put_table(Text *to, const char *name, const KeyTable *table, void (*put)(KeyNode *, void *)) {
    if (table->count == 0)
        return;
    text_string(to, name);
    key_table_each(table, put, to);
    text_byte(to, '\n');
}

static void put_driver(Text *to, const Port *port) {
    const char *driver = port->driver->entry->driver_name;
    const char *what = strcmp(driver, "spawn") == 0 ? "Port controls external process"
                       : strcmp(driver, "fd") == 0  ? "Port is UNIX fd not opened by emulator"
                                                    : "Port controls linked-in driver";
    text_format(to, "%s: %s\n", what, port->name);
}

void port_text(Text *to, const Port *port) {
    const Process *actor = &port->actor;
    Term name = registry_name_of(actor);
    text_string(to, "=port:");
    print_port(to, port_id(port));
    text_byte(to, '\n');
    put_status(to, port);
    text_format(to, "Slot: %llu\nConnected: ", (unsigned long long)port_number(port_id(port)) * 8);
    print_term(to, port_connected(port));
    text_byte(to, '\n');
    put_table(to, "Links: ", &actor->links, put_link);
    put_table(to, "Monitors: ", &actor->watchers, put_watcher);
    if (is_value(name) && is_atom(name)) {
        text_string(to, "Registered as: ");
        print_atom(to, name);
        text_byte(to, '\n');
    }
    put_driver(to, port);
    text_format(to, "Input: %llu\nOutput: %llu\nQueue: %zu\n", (unsigned long long)atomic_load(&port->bytes_in),
                (unsigned long long)atomic_load(&port->bytes_out), port->queue.bytes);
}
