/*
 * Walking over the objects of a table with a match specification, in rounds.
 *
 * A Traversal says where it stands (bucket or key) and what it found; traverse_run goes on from there until all is
 * done, `limit` results are there, or the budget is used up. Between rounds nothing is held, but the table stays fixed
 * from the end of the first round (TRAVERSE_ROUND) until the caller unfixes it after the last. Results are built in
 * `area`, newest first; those that are only looked at, or put into the table, are not.
 *
 * Positions: hash, the next bucket, always between two buckets. Trees: the last key seen, NON_VALUE at the start; it is
 * a copy in `area`. When the specification names all keys that can match, only those are looked up; and of an
 * ordered_set only those that lie where the clauses say (KeyRange). Who knows that it is one may hold it himself, and
 * the table is held once then (traverse_held_key).
 *
 * With TRAVERSE_VISIT there is no specification: `visit` is called for each object, under the lock that keeps it from
 * changing, and may look at it, and allot memory; nothing is found.
 */
#ifndef VIV_ETS_TRAVERSE_H
#define VIV_ETS_TRAVERSE_H

#include "ets/table.h"
#include "match/match_spec.h"

typedef enum { TRAVERSE_SELECT, TRAVERSE_COUNT, TRAVERSE_DELETE, TRAVERSE_REPLACE, TRAVERSE_VISIT } TraverseKind;
typedef struct {
    Table *table;
    const MatchSpec *spec;
    void (*visit)(const Object *o, void *data);
    void *data;
    TraverseKind kind;
    bool up;        /* trees: from small keys to great ones */
    Area *area;
    Process *process; /* that walks */
    int64_t limit;  /* results to stop at; negative: none */
    int64_t budget; /* objects to look at; lowered */
    bool fixed;     /* `process` has fixed the table; set by a round that is not the last */
    /* position */
    uint64_t bucket;
    Term key;
    int64_t looked_at, looking_at; /* objects: before the bucket that it came to last, and up to now */
    /* results */
    Term list;
    int64_t count;
    FragmentArea passing; /* of one object, that is not selected: ets/traverse.c */
} Traversal;

typedef enum { TRAVERSE_DONE, TRAVERSE_LIMIT, TRAVERSE_ROUND, TRAVERSE_GONE } TraverseStatus;
TraverseStatus traverse_run(Traversal *tr);

/* Of one that has not begun: the key that all objects have which can match; NON_VALUE: there is no such one. */
Term traverse_only_key(const Traversal *tr);
/* All of it, when there is: of this key, which the caller holds, and writes if the traversal does. */
void traverse_held_key(Traversal *tr, Hold *hold);

#endif
