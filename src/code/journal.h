/*
 * What a publication changed in its code generation, so that the generation that was active before can be given the
 * same changes when it is staged again: a growing array of changes of one kind.
 *
 * A generation becomes the staging one three publications after it was last written, so it lacks the changes of the
 * last two. Each kind of access structure keeps two journals: [0] of the publication that is being written or came
 * last, [1] of the one before it. Written under the code modification permission only.
 */
#ifndef VIV_CODE_JOURNAL_H
#define VIV_CODE_JOURNAL_H

#include "base/defs.h"

typedef struct {
    void *items;
    size_t count, capacity;
} Journal;

/* Room for one more item; items move. */
void *journal_add(Journal *journal, size_t item_bytes);
/* A new publication begins: the older journal is forgotten and takes its place. */
void journals_turn(Journal journals[2]);

#endif
