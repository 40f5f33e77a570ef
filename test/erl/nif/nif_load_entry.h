/* A library whose entry is made by hand. */
#define STRING(name) #name
#define INIT(module)                                                                                                   \
    ErlNifEntry *nif_init(void);                                                                                       \
    ErlNifEntry *nif_init(void) {                                                                                      \
        static ErlNifEntry entry = {2,                                                                                 \
                                    15,                                                                                \
                                    STRING(module),                                                                    \
                                    1,                                                                                 \
                                    functions,                                                                         \
                                    load,                                                                              \
                                    NULL,                                                                              \
                                    upgrade,                                                                           \
                                    unload,                                                                            \
                                    "beam.vanilla",                                                                    \
                                    1,                                                                                 \
                                    sizeof(ErlNifResourceTypeInit),                                                    \
                                    "erts-10.4"};                                                                      \
        CHANGE;                                                                                                        \
        (void)entry;                                                                                                   \
        return ENTRY;                                                                                                  \
    }
#ifndef CHANGE
#define CHANGE (void)0
#endif
#ifndef ENTRY
#define ENTRY &entry
#endif
#include "nif_load.h"
