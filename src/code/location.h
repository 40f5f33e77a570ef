/* The source file of a place in code, as programs see it. */
#ifndef VIV_CODE_LOCATION_H
#define VIV_CODE_LOCATION_H

#include "code/ranges.h"
#include "term/area.h"

/* A string: as the compiler recorded it, else the module's name and ".erl". */
Term location_file(Area *area, const CodePlace *place);

#endif
