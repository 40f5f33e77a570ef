/*
 * The pieces that a crash dump is written of: where one comes upon what cannot be read, for a thread that did not come
 * to a halt may have changed it, or for that is why the node ends, it ends there, and the next is written all the same.
 * By the one thread that writes.
 */
#ifndef VIV_DUMP_PART_H
#define VIV_DUMP_PART_H

#include "term/text.h"

/* From now on faults end the piece that they happen in; where there is none, the dump. Other threads that fault wait
 * for the end of the program. Once. */
void dump_parts_begin(void);
/* Pieces may be made of pieces: it is the innermost one that ends. What it wrote ends with a line. */
void dump_part(void (*put)(void *data), void *data);
/* Was each written to its end? */
bool dump_parts_are_whole(void);

#endif
