/*
 * How long the end waits for native libraries where halt/2 does not say: +zhft, in milliseconds; negative: as long as
 * they like. Said before any process runs.
 */
#ifndef VIV_BIF_SYSTEM_HALT_H
#define VIV_BIF_SYSTEM_HALT_H

#include "term/area.h"

void halt_set_flush_timeout(int64_t milliseconds);
Term halt_flush_timeout(Area *area); /* or `infinity` */

#endif
