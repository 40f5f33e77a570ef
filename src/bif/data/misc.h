/* What flags of the command line say about printing (+pc, +W). Set before any process runs, then constant. */
#ifndef VIV_BIF_DATA_MISC_H
#define VIV_BIF_DATA_MISC_H

#include "term/term.h"

extern Term printable_range; /* latin1 or unicode: io(3) printable_range/0 */
extern Term warnings_are;    /* error, warning or info: error_logger(3) warning_map/0 */

#endif
