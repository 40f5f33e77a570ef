/*
 * Map construction with operands that are still in registers: lists of keys and values by turns, as sources.
 */
#ifndef VIV_EMU_MAPS_H
#define VIV_EMU_MAPS_H

#include "process/process.h"

/* A flat map of `count` sorted keys, which the list holds before the sources of their values. */
Term emu_new_map(Process *p, const Term *x, const Term *E, const Word *list, size_t count);
Term emu_put_map(Process *p, const Term *x, const Term *E, Term map, const Word *list, size_t words);
/* NON_VALUE when a key is not there: *missing. */
Term emu_update_map(Process *p, const Term *x, const Term *E, Term map, const Word *list, size_t words, Term *missing);

#endif
