/*
 * The flight recorder's rings (process/recorder.h) as text: what `viv record` reads.
 *
 * Lines of fields with a TAB between them; terms as print_term writes them, in which there is none. First come
 *
 *     viv recorder  1
 *     written  TIME                       when; all times are nanoseconds since 1970
 *     events   NAME ...
 *     records  CAPACITY                   of each ring
 *
 * then for each ring `ring NUMBER WRITTEN MISSED`: its scheduler's number, 0 for all other threads; how many records
 * were ever written, and missed. Behind it its records, oldest first: TIME NUMBER PID, and
 *
 *     ran          NANOSECONDS PLACE waits | yields | ends | dirty | suspended     at the end of the slice
 *     runs         NANOSECONDS                                                     still
 *     spawn        CHILD PLACE
 *     exit         REASON
 *     register, unregister   NAME OWNER
 *     minor, major NANOSECONDS WORDS
 *     send         DESTINATION MESSAGE
 *     receive      SENDER MESSAGE
 *
 * PLACE is M:F/A; what is not known is `-`, what is left out of a term `...`.
 */
#ifndef VIV_PROCESS_RECORDER_TEXT_H
#define VIV_PROCESS_RECORDER_TEXT_H

#include "process/recorder.h"
#include "term/text.h"

/* Under recorder_lock, or by who ends the program, when others have come to a halt. `r` is there. */
void recorder_text_head(Text *to, const Recorder *r);
/* Of the last `span` nanoseconds; 0: all. Long work. */
void recorder_text_ring(Text *to, const Recorder *r, unsigned ring, int64_t span);
/* Who runs there; online. */
void recorder_text_running(Text *to, const Recorder *r, unsigned ring);
/* Names of events with commas between them; nothing: none. False: there is no such name. */
bool recorder_events_read(const char *names, uint32_t *events);
/* What stands behind +recorder: [=EVENTS][:RECORDS]. False: something else. */
bool recorder_flag_read(const char *rest, uint32_t *events, size_t *records);

#endif
