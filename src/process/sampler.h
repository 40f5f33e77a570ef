/*
 * Samplers: who wants to know what threads do, so many times a second (process/sampling.h, which says what is noted;
 * process/sample.h has what waits for whom).
 *
 * There are SAMPLERS_MOST places. Who starts, stops and ticks holds LOCK_SAMPLING. The ticker is a thread that exists
 * once somebody has sampled, and sleeps while nobody does.
 */
#ifndef VIV_PROCESS_SAMPLER_H
#define VIV_PROCESS_SAMPLER_H

#include "base/defs.h"

#define SAMPLER_RATE_MOST 1000

/* The place, or -1 with an error number: EBUSY, there is none; or why no thread could be started. */
must_check int sampler_start(unsigned rate, int *error);
struct Sample;
/* What still waits, for the caller to free: that may be much. */
must_check struct Sample *sampler_stop(int place);

#endif
