#define LIBRARY "no_load"
#define INIT(name)                                                                                                     \
    ERL_NIF_INIT(name, functions, NULL, NULL, NULL, NULL)                                                              \
    void *use_all[] = {(void *)upgrade, (void *)load, (void *)unload};
#include "nif_load.h"
