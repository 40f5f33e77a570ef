#include "code/location.h"

#include <string.h>

#include "base/unicode.h"
#include "term/atom.h"

static Term ascii_string(Area *area, const uint8_t *text, size_t bytes) {
    Term list = NIL, *cells = area_alloc(area, 2 * bytes);
    for (size_t i = bytes; i-- > 0;) {
        cells[2 * i] = small_make(text[i]);
        cells[2 * i + 1] = list;
        list = list_make(cells + 2 * i);
    }
    return list;
}

static Term string_of(Area *area, const uint8_t *text, size_t bytes) {
    if (likely(utf8_is_ascii(text, bytes)))
        return ascii_string(area, text, bytes);
    Term list = NIL;
    uint32_t *characters = __builtin_alloca((bytes + 1) * sizeof *characters);
    size_t count = 0;
    for (const uint8_t *at = text, *end = text + bytes;
         at < end && utf8_decode(&at, end, &characters[count]) == UTF8_OK;)
        count++;
    Term *cells = area_alloc(area, 2 * count);
    for (size_t i = count; i-- > 0;) {
        cells[2 * i] = small_make(characters[i]);
        cells[2 * i + 1] = list;
        list = list_make(cells + 2 * i);
    }
    return list;
}

Term location_file(Area *area, const CodePlace *place) {
    if (place->file != NULL)
        return string_of(area, place->file, place->file_bytes);
    const AtomName *name = atom_name(place->function->module);
    uint8_t text[ATOM_MAX_BYTES + 4];
    memcpy(text, name->bytes, name->byte_count);
    memcpy(text + name->byte_count, ".erl", 4);
    return string_of(area, text, name->byte_count + 4);
}
