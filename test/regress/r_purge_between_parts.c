/* The cell through which the test speaks with a library whose functions it can call no more. */
#include "r_purge_between_parts.h"

static Cell cell;

NIF(cell_address) { return enif_make_uint64(env, (uint64_t)(uintptr_t)&cell); }

NIF(let_go) {
    atomic_store(&cell.released, 1);
    return argv[0];
}

NIF(begin) {
    atomic_store(&cell.released, 0);
    atomic_store(&cell.parts, 0);
    return argv[0];
}

/* In the second part, or a later one: none is called from the module. */
NIF(goes_on) { return boolean(env, atomic_load(&cell.parts) > 1); }

static ErlNifFunc functions[] = {{"cell_address", 0, cell_address, 0},
                                 {"let_go", 1, let_go, 0},
                                 {"begin_call", 1, begin, 0},
                                 {"goes_on", 0, goes_on, 0}};
ERL_NIF_INIT(r_purge_between_parts, functions, NULL, NULL, NULL, NULL)
