#include "jit/pieces.h"

#include "jit/building.h"
#include "jit/bytes.h"
#include "jit/choice.h"
#include "jit/fields.h"
#include "jit/floats.h"
#include "jit/frames.h"
#include "jit/funs.h"
#include "jit/map_gets.h"
#include "jit/map_puts.h"
#include "jit/tuples.h"

size_t piece_write(Writer *w) {
    static CodeWriter *const writers[] = {choice_write, fields_write, building_write, floats_write, map_gets_write,
                                          funs_write,   tuples_write, map_puts_write, bytes_write,  frames_write};
    size_t count = 0;
    for (unsigned i = 0; i < array_length(writers) && count == 0; i++)
        count = writers[i](w);
    return count;
}
