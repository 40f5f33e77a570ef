/*
 * The order in which those things came to be that processes refer to and that go away one day: code of modules, areas
 * of literals.
 *
 * Each is given a number when it is made, before anybody else can know of it, higher than all that were given before.
 * So who has not got anything new since some time refers to nothing that was born later than the newest was then
 * (process/rest.h). No order is asked of the counter for that: who refers to a thing has come to know of it after it
 * was made; who then takes over what refers to it, and asks for the newest, is told that thing's number or a higher
 * one, by the coherence of one atomic object.
 */
#ifndef VIV_BASE_BIRTH_H
#define VIV_BASE_BIRTH_H

#include "base/defs.h"

typedef uint64_t Birth; /* 0: before all */
#define BIRTH_NEVER UINT64_MAX /* after all */

/* Of what is being made. Any thread. */
Birth birth_next(void);
Birth birth_newest(void);

#endif
