/*
 * Map construction with operands that are still in registers: lists of keys and values by turns, as sources.
 */
#ifndef VIV_EMU_MAPS_H
#define VIV_EMU_MAPS_H

#include "emu/source.h"
#include "process/process.h"
#include "term/map.h"

/* A flat map of a tuple of `count` sorted keys; the list holds the sources of their values. */
Term emu_new_map(Process *p, const Term *x, const Term *E, Term keys, const Word *list, size_t count);
Term emu_put_map(Process *p, const Term *x, const Term *E, Term map, const Word *list, size_t words);
/* NON_VALUE when a key is not there: *missing. */
Term emu_update_map(Process *p, const Term *x, const Term *E, Term map, const Word *list, size_t words, Term *missing);

static inline const Term *emu_plain_place(Term map, Term key) {
    return map_key_is_plain(key) ? map_get_plain(map, key) : NULL;
}
/* Room for emu_replace. */
static inline size_t emu_replace_bytes(Term map) { return flat_map_copy_words(map) * sizeof(Term); }
/*
 * Builds at `to`, calling nothing, the flat map with new values for keys that are all there, and that words compare.
 * The map itself when nothing changes; NON_VALUE when it cannot be done so: what is at `to` is not looked at then.
 */
static inline Term emu_replace(Term *to, const Term *x, const Term *E, Term map, const Word *list, size_t words) {
    const FlatMap *from = flat_map_ptr(map);
    bool has_changed = false;
    if (unlikely(words == 0))
        return map;
    const Term *place = emu_plain_place(map, source_value(x, E, list[0]));
    if (place == NULL) /* mostly either all are there or none: that is known before the copy */
        return NON_VALUE;
    FlatMap *made = flat_map_copy(to, map);
    for (size_t i = 0; i < words; i += 2) {
        Term value = source_value(x, E, list[i + 1]);
        if (i > 0 && (place = emu_plain_place(map, source_value(x, E, list[i]))) == NULL)
            return NON_VALUE;
        has_changed |= *place != value;
        made->values[place - from->values] = value;
    }
    return has_changed ? boxed_make(made) : map;
}

#endif
