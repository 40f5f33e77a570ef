#define LIBRARY "no_upgrade"
#define INIT(name)                                                                                                     \
    ERL_NIF_INIT(name, functions, load, NULL, NULL, unload)                                                            \
    void *use_upgrade = (void *)upgrade;
#include "nif_load.h"
