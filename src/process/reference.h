/*
 * New references: numbers that no other reference of this node's life has.
 *
 * Each thread takes blocks of numbers from one counter, so making a reference is a few plain instructions. The counter
 * starts where the clock says, so that references differ from those of an earlier life of the same node, mostly.
 * Any thread, no lock. Source: erlang(3) make_ref/0: unique among connected nodes; no order among them is promised.
 */
#ifndef VIV_PROCESS_REFERENCE_H
#define VIV_PROCESS_REFERENCE_H

#include "term/area.h"

void reference_new_numbers(uint32_t numbers[3]);
/* REF_WORDS of the area. */
Term reference_new(Area *area);

#endif
