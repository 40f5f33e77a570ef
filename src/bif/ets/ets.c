/*
 * ets: objects by key, one or a list at a time. Source: ets(3).
 */
#include "bif/ets/ets.h"

#include "base/long_work.h"
#include "bif_table.h"
#include "code/export.h"
#include "ets/catree.h"
#include "ets/count.h"
#include "ets/hash.h"
#include "ets/hold.h"
#include "ets/tables.h"
#include "heap/copy.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/node.h"

Term ets_badarg(Process *p) { return fail_badarg(p); }
Term ets_fail(Process *p, Term cause) { return fail_badarg_cause(p, cause); }

force_inline Table *find(Process *p, Term table) {
    Table *t = NULL;
    if (is_atom(table)) {
        t = tables_find(table);
    } else if (is_magic_ref(table) && magic_ref_binary(table)->destructor == table_destroy) {
        t = (Table *)magic_ref_binary(table)->bytes;
    } else {
        ets_fail(p, am_type);
        return NULL;
    }
    if (!t || atomic_load_explicit(&t->deleted, memory_order_relaxed)) {
        ets_fail(p, am_id);
        return NULL;
    }
    return t;
}

Table *ets_find(Process *p, Term table) { return find(p, table); }

force_inline bool hold_unchecked(Process *p, Term table, HoldKind kind, Term key, Hold *hold) {
    for (;;) {
        Table *t = find(p, table);
        if (!t)
            return false;
        bool held = is_value(key) ? hold_key(t, kind, key, hold) : hold_table(t, kind, hold);
        if (!held) {
            ets_fail(p, am_id);
            return false;
        }
        if (likely(!is_atom(table) || table_is_named(t, table)))
            return true;
        table_let_go(hold); /* it was renamed meanwhile */
    }
}

bool ets_hold_unchecked(Process *p, Term table, HoldKind kind, Term key, Hold *hold) {
    return hold_unchecked(p, table, kind, key, hold);
}

force_inline bool hold_for(Process *p, Term table, EtsAccess access, HoldKind kind, Term key, Hold *hold) {
    if (!hold_unchecked(p, table, kind, key, hold))
        return false;
    if (likely(table_allows(hold->table, p->pid, access == ETS_WRITES)) || (p->flags & FLAG_ETS_SUPER_USER))
        return true;
    table_let_go(hold);
    ets_fail(p, am_access);
    return false;
}

bool ets_hold(Process *p, Term table, EtsAccess access, HoldKind kind, Term key, Hold *hold) {
    return hold_for(p, table, access, kind, key, hold);
}

/* The same to read a key, and hold_end, in what is asked most often. */
force_inline bool hold_to_read(Process *p, Term table, Term key, Hold *hold) {
    return hold_for(p, table, ETS_READS, HOLD_READ, key, hold);
}

Term ets_let_go_badarg(Process *p, Hold *hold) {
    table_let_go(hold);
    return ets_badarg(p);
}

Term ets_let_go_fail(Process *p, Hold *hold, Term cause) {
    table_let_go(hold);
    return ets_fail(p, cause);
}

Term ets_go_on(Process *p, Term function, Term argument) {
    return bif_yield(p, export_internal(am_ets, function, 1), 1, &argument);
}

#define UNITS_PER_OBJECT 50   /* of long work, beside the copy */
#define UNITS_PER_ROUND 5000 /* of a search for keys */

/* Inserting */

static bool is_object(const Table *t, Term o) { return is_tuple(o) && tuple_arity(o) >= t->keypos; }

/* What objects are made for. They are made before the table is held, in an open section: it may be another one of the
 * same name then. */
typedef struct {
    uint32_t keypos;
    TableType type;
    bool compressed;
} Shape;

static Shape shape_of(const Table *t) { return (Shape){t->keypos, t->type, t->compressed}; }
static bool has_shape(const Table *t, const Shape *s) {
    return t->keypos == s->keypos && t->type == s->type && t->compressed == s->compressed;
}
static Object *create(const Shape *s, Term tuple) {
    return unlikely(s->compressed) ? object_create_packed(tuple, s->keypos) : object_create(tuple);
}

#define UNITS_PER_CELL 5 /* of a list's objects, looked at */

/* How many there are in the list; -1: it is no list of objects. */
static int64_t count_objects(const Table *t, Term list) {
    int64_t count = 0;
    unsigned left = LONG_WORK_ROUND;
    for (; is_list(list); list = list_tail(list), count++, left = long_work_step(left, UNITS_PER_CELL))
        if (!is_object(t, list_head(list)))
            return -1;
    return is_nil(list) ? count : -1;
}

/* Copies of a list's objects, linked; in its order, but before RELEASE_BAGS_IN_ORDER the last first for bags. */
static Object *create_all(const Shape *s, Term list) {
    LONG_WORK_OPEN;
    Object *first = NULL, **last = &first;
    bool backwards = s->type == TABLE_BAG && !release_has(RELEASE_BAGS_IN_ORDER);
    for (; is_list(list); list = list_tail(list)) {
        Object *o = create(s, list_head(list));
        if (backwards) {
            o->link[0] = first;
            first = o;
        } else {
            *last = o;
            last = &o->link[0];
        }
    }
    return first;
}

static void hold_hash(Hold *hold, Term key) {
    if (!table_is_tree(hold->table))
        hold->hash = hash_key(key);
}

static void put_all(Hold *hold, Object *o) {
    for (Object *next; o; o = next) {
        next = o->link[0];
        o->link[0] = NULL;
        long_work_count(UNITS_PER_OBJECT);
        hold_hash(hold, table_key(hold->table, o));
        table_put(hold, o);
        if (!table_is_tree(hold->table))
            hash_adjust(hold->table, hold->hash);
    }
}

static void free_all(Object *o) {
    for (Object *next; o; o = next) {
        next = o->link[0];
        object_free(o);
    }
}

static bool has_any(Hold *hold, const Object *o) {
    for (; o; o = o->link[0]) {
        long_work_count(UNITS_PER_OBJECT);
        hold_hash(hold, table_key(hold->table, o));
        if (table_has(hold, table_key(hold->table, o)))
            return true;
    }
    return false;
}

static Term insert(Process *p, const Term *a, bool only_new);

/* They cannot be in a table of that shape; if it may be written to, that is what is wrong. */
static Term not_objects(Process *p, Term table, Term objects, const Shape *shape, bool only_new) {
    Hold hold;
    if (!ets_hold(p, table, ETS_WRITES, HOLD_READ, NON_VALUE, &hold))
        return NON_VALUE;
    if (has_shape(hold.table, shape))
        return ets_let_go_badarg(p, &hold);
    table_let_go(&hold);
    return insert(p, (Term[]){table, objects}, only_new);
}

/* All of a list or nothing of it, seen by others at once. */
static Term insert_list(Process *p, Table *t, Term table, Term list, bool only_new) {
    Shape shape = shape_of(t);
    int64_t count = count_objects(t, list);
    if (count < 0)
        return not_objects(p, table, list, &shape, only_new);
    process_bump(p, count);
    Object *objects = create_all(&shape, list);
    Hold hold;
    if (!ets_hold(p, table, ETS_WRITES, HOLD_EXCLUSIVE, NON_VALUE, &hold)) {
        free_all(objects);
        return NON_VALUE;
    }
    if (unlikely(!has_shape(hold.table, &shape))) {
        table_let_go(&hold);
        free_all(objects);
        return insert(p, (Term[]){table, list}, only_new);
    }
    bool refused = only_new && has_any(&hold, objects);
    if (!refused)
        put_all(&hold, objects);
    table_let_go(&hold);
    if (refused)
        free_all(objects);
    return bool_term(!refused);
}

/* For a plain tuple no object need be made before. */
static Term insert_plain(Process *p, const Term *a, Term tuple, const Shape *shape, bool only_new) {
    Hold hold;
    Term key = tuple_elements(tuple)[shape->keypos - 1];
    if (!ets_hold(p, a[0], ETS_WRITES, HOLD_WRITE, key, &hold))
        return NON_VALUE;
    if (unlikely(!has_shape(hold.table, shape))) {
        table_let_go(&hold);
        return insert(p, a, only_new);
    }
    bool refused = only_new && table_has(&hold, key);
    if (!refused)
        table_put_plain(&hold, tuple);
    table_let_go(&hold);
    return bool_term(!refused);
}

static Term insert(Process *p, const Term *a, bool only_new) {
    Table *t = ets_find(p, a[0]);
    if (!t)
        return NON_VALUE;
    Term tuple = a[1];
    if (is_list(tuple) && is_nil(list_tail(tuple)))
        tuple = list_head(tuple);
    else if (is_list(tuple) || is_nil(tuple))
        return insert_list(p, t, a[0], tuple, only_new);
    Hold hold;
    Shape shape = shape_of(t);
    if (!is_object(t, tuple))
        return not_objects(p, a[0], a[1], &shape, only_new);
    if (object_is_plain(tuple))
        return insert_plain(p, a, tuple, &shape, only_new);
    long_work_open();
    Object *o = create(&shape, tuple);
    long_work_close();
    Term key = tuple_elements(tuple)[shape.keypos - 1];
    if (!ets_hold(p, a[0], ETS_WRITES, HOLD_WRITE, key, &hold)) {
        object_free(o);
        return NON_VALUE;
    }
    if (unlikely(!has_shape(hold.table, &shape))) {
        table_let_go(&hold);
        object_free(o);
        return insert(p, a, only_new);
    }
    bool refused = only_new && table_has(&hold, key);
    if (!refused)
        table_put(&hold, o);
    table_let_go(&hold);
    if (refused)
        object_free(o);
    return bool_term(!refused);
}

Term ets_insert(Process *p, const Term *a) { return insert(p, a, false); }
Term ets_insert_new(Process *p, const Term *a) { return insert(p, a, true); }

/* Looking up and deleting. What takes much room is built in the heap, if it is of one object: the table is let go, a
 * collection makes the room, and the function is called again (bif_with_room). */

#define CELL_WORDS 2

/* Not in a process with max_heap_size: it would be ended by the collection that makes the room, and on the stock
 * runtime it is by the one after the look-up. */
static bool asks_for_room(const Process *p, size_t words) {
    return unlikely(process_lacks_room(p, words)) && p->heap.max_words == 0;
}

static bool keeps_several(const Table *t) { return t->type == TABLE_BAG || t->type == TABLE_DUPLICATE_BAG; }

Term ets_lookup(Process *p, const Term *a) {
    Hold hold;
    if (!hold_to_read(p, a[0], a[1], &hold))
        return NON_VALUE;
    Object *o = table_first_object(&hold, a[1]);
    size_t words = o == NULL || keeps_several(hold.table) ? 0 : CELL_WORDS + object_copy_words(o);
    bool lacks = asks_for_room(p, words);
    Term list = lacks ? NON_VALUE : table_lookup(&hold, o, process_area(p));
    hold_end(&hold);
    return lacks ? bif_with_room(p, words) : list;
}

/* The element, or a list of the elements for bags. `missing`: what if there is no such key (NON_VALUE: badkey). */
static Term lookup_element(Process *p, const Term *a, Term missing) {
    Hold hold;
    if (!hold_to_read(p, a[0], a[1], &hold))
        return NON_VALUE;
    if (!is_small(a[2]) || small_value(a[2]) < 1)
        return ets_let_go_badarg(p, &hold);
    size_t position = (size_t)small_value(a[2]);
    Object *o = table_first_object(&hold, a[1]);
    if (!o && is_value(missing)) {
        hold_end(&hold);
        return missing;
    }
    if (!o)
        return ets_let_go_fail(p, &hold, am_badkey);
    Area *area = process_area(p);
    bool is_bag = keeps_several(hold.table);
    size_t words = is_bag || position > object_arity(o) ? 0 : object_element_words(o, position);
    if (asks_for_room(p, words)) {
        hold_end(&hold);
        return bif_with_room(p, words);
    }
    Term result = NIL;
    for (; o; o = table_next_object(&hold, o)) {
        if (position > object_arity(o))
            return ets_let_go_badarg(p, &hold);
        long_work_count(UNITS_PER_OBJECT);
        Term element = object_copy_element(o, position, area);
        result = is_bag ? area_cons(area, element, result) : element;
    }
    hold_end(&hold);
    return result;
}

Term ets_lookup_element_3(Process *p, const Term *a) { return lookup_element(p, a, NON_VALUE); }
Term ets_lookup_element_4(Process *p, const Term *a) { return lookup_element(p, a, a[3]); }

Term ets_member(Process *p, const Term *a) {
    Hold hold;
    if (!hold_to_read(p, a[0], a[1], &hold))
        return NON_VALUE;
    bool has = table_has(&hold, a[1]);
    hold_end(&hold);
    return bool_term(has);
}

Term ets_delete_2(Process *p, const Term *a) {
    Hold hold;
    if (!ets_hold(p, a[0], ETS_WRITES, HOLD_WRITE, a[1], &hold))
        return NON_VALUE;
    table_delete_key(&hold, a[1]);
    table_let_go(&hold);
    return am_true;
}

Term ets_delete_object(Process *p, const Term *a) {
    Hold hold;
    for (;;) {
        Table *t = ets_find(p, a[0]);
        if (!t)
            return NON_VALUE;
        uint32_t keypos = t->keypos;
        bool can_be = is_object(t, a[1]);
        Term key = can_be ? tuple_elements(a[1])[keypos - 1] : NON_VALUE;
        if (!ets_hold(p, a[0], ETS_WRITES, HOLD_WRITE, key, &hold))
            return NON_VALUE;
        if (unlikely(hold.table->keypos != keypos)) { /* it is another one of that name now */
            table_let_go(&hold);
            continue;
        }
        if (!can_be)
            return ets_let_go_badarg(p, &hold);
        table_delete_object(&hold, a[1]);
        table_let_go(&hold);
        return am_true;
    }
}

Term ets_take(Process *p, const Term *a) {
    Hold hold;
    if (!ets_hold(p, a[0], ETS_WRITES, HOLD_WRITE, a[1], &hold))
        return NON_VALUE;
    Term list = table_lookup(&hold, table_first_object(&hold, a[1]), process_area(p));
    table_delete_key(&hold, a[1]);
    table_let_go(&hold);
    return list;
}

/* Key by key */

static Term next_result(Process *p, NextStep step, Term next) {
    return likely(step == NEXT_FOUND) ? next : step == NEXT_END ? am_end_of_table : ets_badarg(p);
}

/* Where many buckets are empty the search takes rounds, between which others get in. Held; lets go. */
static noinline Term next_in_rounds(Process *p, Hold *hold, Term key, bool kept, uint64_t bucket) {
    Table *t = hold->table;
    Term next = NON_VALUE;
    NextStep step = NEXT_ROUND;
    bool held = true;
    tables_fix_briefly(t);
    while (step == NEXT_ROUND) {
        table_let_go(hold);
        long_work_count(UNITS_PER_ROUND);
        held = table_hold(t, HOLD_READ, hold);
        if (!held)
            break;
        step = hash_next_key(t, key, kept, &bucket, process_area(p), &next);
    }
    if (held)
        table_let_go(hold);
    tables_unfix_briefly(t);
    return held ? next_result(p, step, next) : ets_fail(p, am_id);
}

static inline Term hash_key_beside(Process *p, Hold *hold, Term key, bool kept) {
    Term next = NON_VALUE;
    uint64_t bucket = 0;
    NextStep step = hash_next_key(hold->table, key, kept, &bucket, process_area(p), &next);
    if (unlikely(step == NEXT_ROUND))
        return next_in_rounds(p, hold, key, kept, bucket);
    hold_end(hold);
    return next_result(p, step, next);
}

/* The key beside `key` (NON_VALUE: at the edge); $end_of_table when there is none, NON_VALUE with badarg for an unknown
 * key of a hash table. `kept`: of which there may be deleted objects alone (ets/hash.h). */
static Term key_beside(Process *p, Term table, Term key, bool up, bool kept) {
    Hold hold;
    if (!hold_to_read(p, table, NON_VALUE, &hold))
        return NON_VALUE;
    if (!table_is_tree(hold.table))
        return hash_key_beside(p, &hold, key, kept);
    Term next = catree_key_beside(hold.table, key, up, process_area(p));
    hold_end(&hold);
    return is_value(next) ? next : am_end_of_table;
}

/* `objects`: {Key, Objects} instead of the key. */
static Term beside(Process *p, Term table, Term key, bool up, bool objects) {
    for (;;) {
        Term next = key_beside(p, table, key, up, false);
        if (!objects || !is_value(next) || next == am_end_of_table)
            return next;
        Hold hold;
        if (!ets_hold(p, table, ETS_READS, HOLD_READ, next, &hold))
            return NON_VALUE;
        Term list = table_lookup(&hold, table_first_object(&hold, next), process_area(p));
        table_let_go(&hold);
        if (!is_nil(list))
            return area_tuple2(process_area(p), next, list);
    } /* it went away meanwhile: from `key` again, for in a hash table nothing is found behind what is not there */
}

Term ets_first(Process *p, const Term *a) { return beside(p, a[0], NON_VALUE, true, false); }
Term ets_last(Process *p, const Term *a) { return beside(p, a[0], NON_VALUE, false, false); }
Term ets_next(Process *p, const Term *a) { return beside(p, a[0], a[1], true, false); }
Term ets_prev(Process *p, const Term *a) { return beside(p, a[0], a[1], false, false); }
Term ets_first_lookup(Process *p, const Term *a) { return beside(p, a[0], NON_VALUE, true, true); }
Term ets_last_lookup(Process *p, const Term *a) { return beside(p, a[0], NON_VALUE, false, true); }
Term ets_next_lookup(Process *p, const Term *a) { return beside(p, a[0], a[1], true, true); }
Term ets_prev_lookup(Process *p, const Term *a) { return beside(p, a[0], a[1], false, true); }

Term erts_internal_ets_raw_first_1(Process *p, const Term *a) { return key_beside(p, a[0], NON_VALUE, true, true); }
Term erts_internal_ets_raw_next_2(Process *p, const Term *a) { return key_beside(p, a[0], a[1], true, true); }

static Term bucket_list(Table *t, uint64_t number, Area *area) {
    Term list = NIL;
    if (!hash_read_bucket(t, number))
        return am_end_of_table;
    for (Object *o = *hash_bucket(t, number); o; o = o->next) {
        long_work_count(UNITS_PER_OBJECT);
        if (hash_is_live(t, o))
            list = area_cons(area, object_copy(o, area), list);
    }
    hash_unread_bucket(t, number);
    return list;
}

/* Where that one, or one near it, was not asked for last, the n-th object in order takes time n to find: in rounds,
 * between which others get in. Held; lets go. */
static Term tree_slot(Process *p, Hold *hold, uint64_t number) {
    Table *t = hold->table;
    Area *area = process_area(p);
    Term key = NON_VALUE, object = catree_near_nth(t, number, area);
    uint64_t n = number, changes = t->changes;
    NextStep step = is_value(object) ? NEXT_FOUND : catree_nth(t, &key, &n, area, &object);
    while (step == NEXT_ROUND) {
        table_let_go(hold);
        long_work_count(UNITS_PER_ROUND);
        process_bump(p, 10);
        if (!table_hold(t, HOLD_READ, hold))
            return ets_fail(p, am_id);
        step = catree_nth(t, &key, &n, area, &object);
    }
    if (step == NEXT_FOUND)
        catree_remember(t, number, object, changes);
    table_let_go(hold);
    return step == NEXT_FOUND ? area_cons(area, object, NIL) : am_end_of_table;
}

Term ets_slot(Process *p, const Term *a) {
    Hold hold;
    if (!ets_hold(p, a[0], ETS_READS, HOLD_READ, NON_VALUE, &hold))
        return NON_VALUE;
    Table *t = hold.table;
    uint64_t slots = table_is_tree(t) ? (uint64_t)table_objects(t) : hash_bucket_count(t);
    bool has_none = slots == 0 && table_is_tree(t) && t->stripe_count > 1; /* there stock knows no end */
    if (!is_small(a[1]) || small_value(a[1]) < 0 || (uint64_t)small_value(a[1]) > slots || has_none)
        return ets_let_go_badarg(p, &hold);
    uint64_t number = (uint64_t)small_value(a[1]);
    if (number < slots && table_is_tree(t))
        return tree_slot(p, &hold, number);
    Term result = table_is_tree(t) ? am_end_of_table : bucket_list(t, number, process_area(p));
    table_let_go(&hold);
    return result;
}
