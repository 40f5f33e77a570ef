#define LIBRARY "dirty"
#define NIF_FLAGS ERL_NIF_DIRTY_JOB_IO_BOUND
#include "nif_load.h"
