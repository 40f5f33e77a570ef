#include "hold.h"

static ErlNifFunc functions[] = {{"hold", 0, hold, ERL_NIF_DIRTY_JOB_IO_BOUND}, {"let_go", 0, let_go, 0}};
ERL_NIF_INIT(r_socket_closer_killed, functions, NULL, NULL, NULL, NULL)
