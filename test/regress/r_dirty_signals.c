#include "slots.h"

#include <sys/stat.h>

NIF(make_fifo) {
    char path[1000];
    enif_get_string(env, argv[0], path, sizeof path, ERL_NIF_LATIN1);
    unlink(path);
    return boolean(env, mkfifo(path, 0600) == 0);
}

static ErlNifFunc functions[] = {SLOT_FUNCTIONS, {"make_fifo", 1, make_fifo, 0}};
ERL_NIF_INIT(r_dirty_signals, functions, NULL, NULL, NULL, NULL)
