#include "slots.h"

static ErlNifFunc functions[] = {SLOT_FUNCTIONS};
ERL_NIF_INIT(r_dirty_literals, functions, NULL, NULL, NULL, NULL)
