/*
 * ets: tables as a whole: making, deleting, renaming, giving away, fixing, and information. Source: ets(3).
 */
#include "bif/ets/ets.h"

#include "base/long_work.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "code/export.h"
#include "ets/catree.h"
#include "ets/count.h"
#include "ets/hash.h"
#include "ets/tables.h"
#include "heap/copy.h"
#include "process/clock.h"
#include "process/process_table.h"
#include "process/time_stamp.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/float.h"
#include "term/integer.h"
#include "term/node.h"

#include <math.h>

Term ets_all(Process *p, const Term *a) { return tables_all(process_area(p)); }

/* Options */

static bool take_bool(Term t, bool *out) {
    *out = t == am_true;
    return t == am_true || t == am_false;
}

/* For tests: so many stripes, or the power of two below. */
static bool take_stripes(Term count, TableOptions *o) {
    if (!is_small_within(count, 1, STRIPES_MAX))
        return false;
    unsigned n = (unsigned)small_value(count);
    for (o->stripes = STRIPES; o->stripes * 2 <= n;)
        o->stripes *= 2;
    o->write_concurrency = am_debug_hash_fixed_number_of_locks;
    return true;
}

static bool take_write_concurrency(Term value, TableOptions *o) {
    if (is_tuple_arity(value, 2) && tuple_elements(value)[0] == am_debug_hash_fixed_number_of_locks)
        return take_stripes(tuple_elements(value)[1], o);
    o->stripes = 0;
    o->write_concurrency = value;
    return value == am_true || value == am_false || value == am_auto;
}

/* None, or one who is not told. */
static bool take_heir(Term value, TableOptions *o) {
    bool is_one = is_local_pid(value) && release_has(RELEASE_HEIRS_UNTOLD);
    o->heir = is_one ? tables_heir_with(value) : HEIR_NONE;
    return is_one || value == am_none;
}

static bool take_pair(TableOptions *o, Term key, Term value) {
    switch (key) {
    case am_keypos:
        if (!is_small(value) || small_value(value) < 1 || small_value(value) > UINT32_MAX)
            return false;
        o->keypos = (uint32_t)small_value(value);
        return true;
    case am_write_concurrency: return take_write_concurrency(value, o);
    case am_read_concurrency: return take_bool(value, &o->read_concurrency);
    case am_decentralized_counters: o->counters_given = true; return take_bool(value, &o->decentralized_counters);
    case am_heir: o->heir_data = NON_VALUE; return take_heir(value, o);
    default: return false;
    }
}

static TableProtection protection_of(Term name) {
    return name == am_private ? TABLE_PRIVATE : name == am_public ? TABLE_PUBLIC : TABLE_PROTECTED;
}

bool ets_compresses = false;

static bool take_option(TableOptions *o, Term option) {
    if (is_tuple_arity(option, 2))
        return take_pair(o, tuple_elements(option)[0], tuple_elements(option)[1]);
    if (is_tuple_arity(option, 3)) {
        const Term *e = tuple_elements(option);
        if (e[0] != am_heir || !is_local_pid(e[1]))
            return false;
        o->heir = tables_heir_with(e[1]);
        o->heir_data = e[2];
        return true;
    }
    switch (option) {
    case am_set: return true; /* the default: takes nothing back that was said before */
    case am_bag: o->type = TABLE_BAG; return true;
    case am_duplicate_bag: o->type = TABLE_DUPLICATE_BAG; return true;
    case am_ordered_set: o->type = TABLE_ORDERED_SET; return true;
    case am_protected: return true; /* likewise */
    case am_private:
    case am_public: o->protection = protection_of(option); return true;
    case am_named_table: o->named = true; return true;
    case am_compressed: o->compressed = true; return true;
    default: return false;
    }
}

Term ets_new(Process *p, const Term *a) {
    TableOptions o = {.name = a[0],
                      .type = TABLE_SET,
                      .protection = TABLE_PROTECTED,
                      .keypos = 1,
                      .compressed = ets_compresses,
                      .write_concurrency = am_false,
                      .heir = HEIR_NONE,
                      .heir_data = NIL};
    if (!is_atom(a[0]))
        return ets_badarg(p);
    Term l = a[1];
    for (; is_list(l); l = list_tail(l))
        if (!take_option(&o, list_head(l)))
            return ets_badarg(p);
    if (!is_nil(l))
        return ets_badarg(p);
    if (o.stripes && o.type == TABLE_ORDERED_SET)
        return ets_badarg(p);
    bool spreads = o.stripes || o.write_concurrency == am_auto || o.type == TABLE_ORDERED_SET;
    o.decentralized_counters =
        o.write_concurrency != am_false && (o.counters_given ? o.decentralized_counters : spreads);
    if (o.protection == TABLE_PRIVATE) { /* nobody to be concurrent with */
        o.read_concurrency = o.decentralized_counters = false;
        o.write_concurrency = am_false;
    }
    Term tid;
    if (!tables_create(p, &o, &tid))
        return ets_fail(p, am_already_exists);
    return o.named ? a[0] : tid;
}

/* Deleting */

/* Frees objects in rounds, then answers `result`. `is_part`: of a table whose objects were detached. */
static Term delete_more(Process *p, Term tid, bool is_part, Term result) {
    Table *t = (Table *)magic_ref_binary(tid)->bytes;
    int64_t budget = p->reductions > 100 ? p->reductions : 100, before = budget;
    bool done = is_part ? table_clear_some(t, &budget) : tables_delete_more(t, &budget);
    process_bump(p, before - budget);
    if (done)
        return result;
    return ets_go_on(p, am_internal_delete_rest, area_tuple3(process_area(p), tid, bool_term(is_part), result));
}

Term ets_delete_1(Process *p, const Term *a) {
    Hold hold;
    if (!ets_hold(p, a[0], ETS_WRITES, HOLD_EXCLUSIVE, NON_VALUE, &hold))
        return NON_VALUE;
    Term tid = table_tid(hold.table, process_area(p));
    tables_delete_held(&hold, p);
    return delete_more(p, tid, false, am_true);
}

Term ets_delete_rest(Process *p, const Term *a) {
    const Term *e = tuple_elements(a[0]);
    return delete_more(p, e[0], e[1] == am_true, e[2]);
}

/* Others see all objects, or none: so all at once, while nobody else is in. */
Term ets_delete_all(Process *p, const Term *a) {
    Hold hold;
    if (!ets_hold(p, a[0], ETS_WRITES, HOLD_EXCLUSIVE, NON_VALUE, &hold))
        return NON_VALUE;
    Table *t = hold.table;
    Term objects = integer_from_int64(process_area(p), table_objects_at_rest(t));
    bool marked = !table_is_tree(t) && atomic_load(&t->fixed) > 0 && hash_mark_all(t);
    Table *part = marked ? NULL : table_detach(t);
    table_let_go(&hold);
    if (!part)
        return objects;
    Term tid = table_tid(part, process_area(p));
    refc_binary_release(part->binary);
    return delete_more(p, tid, true, objects);
}

Term ets_rename(Process *p, const Term *a) {
    Hold hold;
    if (!ets_hold(p, a[0], ETS_WRITES, HOLD_EXCLUSIVE, NON_VALUE, &hold))
        return NON_VALUE;
    if (!is_atom(a[1]) || !tables_rename(hold.table, a[1]))
        return ets_let_go_badarg(p, &hold);
    bool named = hold.table->named;
    table_let_go(&hold);
    return named ? a[1] : a[0];
}

/* What setopts is to change; NON_VALUE: nothing. */
typedef struct {
    Term protection;
    Heir heir; /* its pid: NON_VALUE */
    Term heir_data;
} Settings;

/* False: it cannot be set, or a second time. */
static bool take_setting(Settings *s, Term option) {
    TableOptions o;
    bool is_heir = (is_tuple_arity(option, 2) || is_tuple_arity(option, 3)) && tuple_elements(option)[0] == am_heir;
    if (is_heir && !is_value(s->heir.pid) && take_option(&o, option)) {
        s->heir = o.heir;
        s->heir_data = o.heir_data;
        return true;
    }
    if (!is_tuple_arity(option, 2) || tuple_elements(option)[0] != am_protection || is_value(s->protection))
        return false;
    s->protection = tuple_elements(option)[1];
    return s->protection == am_private || s->protection == am_protected || s->protection == am_public;
}

static bool take_settings(Settings *s, Term options) {
    if (!is_list(options) && !is_nil(options))
        return take_setting(s, options);
    for (; is_list(options); options = list_tail(options))
        if (!take_setting(s, list_head(options)))
            return false;
    return is_nil(options);
}

Term ets_setopts(Process *p, const Term *a) {
    Hold hold;
    Settings s = {NON_VALUE, {NON_VALUE, 0}, NIL};
    bool good = take_settings(&s, a[1]), changed = false;
    Object *heir_data = good && is_value(s.heir.pid) ? tables_heir_data(s.heir, s.heir_data) : NULL;
    if (ets_hold(p, a[0], ETS_WRITES, HOLD_EXCLUSIVE, NON_VALUE, &hold)) {
        changed = good && atomic_load(&hold.table->owner) == p->pid;
        if (changed && is_value(s.heir.pid))
            heir_data = tables_replace_heir(hold.table, s.heir, heir_data);
        if (changed && is_value(s.protection))
            hold.table->protection = protection_of(s.protection);
        table_let_go(&hold);
        if (!changed)
            ets_badarg(p);
    }
    if (heir_data) /* the one from before, or ours */
        object_free(heir_data);
    return changed ? am_true : NON_VALUE;
}

/* Held; lets go. */
static Term give_away(Process *p, Hold *hold, Term to, Transfer *transfer) {
    Table *t = hold->table;
    Term cause = atomic_load(&t->owner) != p->pid ? am_not_owner : to == p->pid ? am_owner : NON_VALUE;
    if (is_value(cause)) {
        tables_transfer_drop(transfer);
        return ets_let_go_fail(p, hold, cause);
    }
    bool given = tables_give_held(t, p->pid, tables_heir_with(to), transfer);
    table_let_go(hold);
    return given ? am_true : ets_badarg(p);
}

Term ets_give_away(Process *p, const Term *a) {
    Hold hold;
    Transfer transfer;
    if (!is_local_pid(a[1]))
        return ets_hold(p, a[0], ETS_WRITES, HOLD_READ, NON_VALUE, &hold) ? ets_let_go_badarg(p, &hold) : NON_VALUE;
    tables_transfer_init(&transfer, a[2]);
    if (ets_hold(p, a[0], ETS_WRITES, HOLD_READ, NON_VALUE, &hold))
        return give_away(p, &hold, a[1], &transfer);
    tables_transfer_drop(&transfer);
    return NON_VALUE;
}

Term ets_safe_fixtable(Process *p, const Term *a) {
    Hold hold;
    if (!ets_hold(p, a[0], ETS_READS, HOLD_READ, NON_VALUE, &hold))
        return NON_VALUE;
    if (a[1] == am_true) /* held, so that the table is not deleted before the fixation keeps it */
        tables_fix(hold.table, p);
    table_let_go(&hold);
    if (a[1] == am_false)
        tables_unfix(hold.table, p);
    return a[1] == am_true || a[1] == am_false ? am_true : ets_badarg(p);
}

/* Information about a table that is not there, and whether it has failed for that. */
static Term no_table(Process *p, Term table) {
    bool can_be = is_atom(table) || (is_magic_ref(table) && magic_ref_binary(table)->destructor == table_destroy);
    return can_be ? am_undefined : NON_VALUE; /* the failure is set */
}

Term ets_whereis(Process *p, const Term *a) {
    Hold hold;
    if (!is_atom(a[0]))
        return ets_badarg(p);
    if (!ets_hold_unchecked(p, a[0], HOLD_READ, NON_VALUE, &hold))
        return am_undefined;
    Term tid = table_tid(hold.table, process_area(p));
    table_let_go(&hold);
    return tid;
}

/* Information */

static Term since(Process *p, Table *t, bool monotonic) {
    Area *area = process_area(p);
    int64_t fixed_since;
    Term list = tables_fixations(t, area, &fixed_since);
    if (is_nil(list))
        return am_false;
    if (monotonic)
        return area_tuple2(area, integer_from_int64(area, fixed_since), list);
    return area_tuple2(area, stamp_triple(area, (fixed_since + time_offset()) / 1000), list);
}

/* {Routes, Leaves, Depth} */
static Term tree_statistics(Process *p, Table *t) {
    if (!t->shares_writes)
        return am_false;
    size_t routes, leaves, depth;
    catree_figures(t, &routes, &leaves, &depth);
    return area_tuple3(process_area(p), small_make((SWord)routes), small_make((SWord)leaves), small_make((SWord)depth));
}

/* The stock runtime computes these with single precision. */
static Term single(Area *area, double d) { return float_make(area, (double)(float)d); }

#define BUCKETS_PER_ROUND 1000
#define UNITS_PER_BUCKET 20 /* of long work, its objects included */

/* What is known of the chains of some buckets. */
typedef struct {
    uint64_t buckets, longest, shortest, kept;
    double sum, squares;
} Chains;

static void add_chain(Chains *c, const Table *t, const Object *o) {
    uint64_t length = 0;
    for (; o; o = o->next) {
        length++;
        c->kept += !hash_is_live(t, o);
    }
    c->buckets++;
    c->sum += (double)length;
    c->squares += (double)length * (double)length;
    c->longest = length > c->longest ? length : c->longest;
    c->shortest = length < c->shortest ? length : c->shortest;
    long_work_count(UNITS_PER_BUCKET + (int64_t)length);
}

/* In rounds, between which others get in, while the table stays fixed. Held; lets go. False: it is gone. */
static bool add_all_chains(Chains *c, Hold *hold) {
    Table *t = hold->table;
    bool held = true;
    tables_fix_briefly(t);
    for (uint64_t n = 0; held && hash_read_bucket(t, n);) {
        add_chain(c, t, *hash_bucket(t, n));
        hash_unread_bucket(t, n);
        if (++n % BUCKETS_PER_ROUND != 0)
            continue;
        table_let_go(hold);
        held = table_hold(t, HOLD_READ, hold);
    }
    if (held)
        table_let_go(hold);
    tables_unfix_briefly(t);
    return held;
}

/* {Buckets, Average, Deviation, ExpectedDeviation, Shortest, Longest, Kept, Locks}: of the chains. */
static Term chain_statistics(Process *p, Hold *hold) {
    Chains c = {.shortest = UINT64_MAX};
    unsigned locks = hold->table->stripe_count;
    if (!add_all_chains(&c, hold))
        return am_undefined;
    double buckets = (double)c.buckets, average = c.sum / buckets, variance = c.squares / buckets - average * average;
    Area *area = process_area(p);
    Term fields[] = {small_make((SWord)c.buckets),
                     single(area, average),
                     single(area, sqrt(variance < 0 ? 0 : variance)),
                     single(area, sqrt(average * (1 - 1.0 / buckets))),
                     small_make((SWord)c.shortest),
                     small_make((SWord)c.longest),
                     small_make((SWord)c.kept),
                     small_make((SWord)locks)};
    return area_tuple(area, fields, array_length(fields));
}

/* Held; lets go. */
static Term statistics(Process *p, Hold *hold) {
    if (!table_is_tree(hold->table))
        return chain_statistics(p, hold);
    Term figures = tree_statistics(p, hold->table);
    table_let_go(hold);
    return figures;
}

static Term protection_name(TableProtection p) {
    return p == TABLE_PRIVATE ? am_private : p == TABLE_PROTECTED ? am_protected : am_public;
}

static Term type_name(TableType type) {
    static const Term names[] = {am_set, am_bag, am_duplicate_bag, am_ordered_set};
    return names[type];
}

static Term write_concurrency(const Table *t, Area *area) {
    if (t->write_concurrency != am_debug_hash_fixed_number_of_locks)
        return t->write_concurrency;
    return area_tuple2(area, t->write_concurrency, small_make((SWord)t->stripe_count));
}

/* NON_VALUE: there is no such item, or it is none that is asked for while the table is held. */
static Term item(Process *p, Table *t, Term name) {
    Area *area = process_area(p);
    switch (name) {
    case am_id: return table_tid(t, area);
    case am_decentralized_counters: return bool_term(t->decentralized_counters);
    case am_read_concurrency: return bool_term(t->read_concurrency);
    case am_write_concurrency: return write_concurrency(t, area);
    case am_compressed: return bool_term(t->compressed);
    case am_memory: return integer_from_int64(area, table_memory_words(t) + table_object_words(t));
    case am_owner: return atomic_load(&t->owner);
    case am_heir: return tables_heir(t).pid;
    case am_name: return t->name;
    case am_size: return integer_from_int64(area, table_objects(t));
    case am_node: return node_this_name();
    case am_named_table: return bool_term(t->named);
    case am_type: return type_name(t->type);
    case am_keypos: return small_make(t->keypos);
    case am_protection: return protection_name(t->protection);
    case am_fixed: return bool_term(tables_is_fixed(t));
    default: return NON_VALUE;
    }
}

Term ets_info_1(Process *p, const Term *a) {
    static const Term items[] = {am_protection,
                                 am_keypos,
                                 am_type,
                                 am_named_table,
                                 am_node,
                                 am_size,
                                 am_name,
                                 am_heir,
                                 am_owner,
                                 am_memory,
                                 am_compressed,
                                 am_write_concurrency,
                                 am_read_concurrency,
                                 am_decentralized_counters,
                                 am_id};
    Hold hold;
    if (!ets_hold_unchecked(p, a[0], HOLD_READ, NON_VALUE, &hold))
        return no_table(p, a[0]);
    Area *area = process_area(p);
    Term list = NIL;
    for (size_t i = 0; i < array_length(items); i++)
        list = area_cons(area, area_tuple2(area, items[i], item(p, hold.table, items[i])), list);
    table_let_go(&hold);
    return list;
}

/* The item binary takes a walk over all keys, which the stock erts_internal does with the functions below. */
Term ets_info_2(Process *p, const Term *a) {
    Hold hold;
    if (a[1] == am_binary)
        return bif_trap(p, export_put(am_erts_internal, am_ets_info_binary, 1), 1, a);
    if (!ets_hold_unchecked(p, a[0], HOLD_READ, NON_VALUE, &hold))
        return no_table(p, a[0]);
    if (a[1] == am_stats)
        return statistics(p, &hold);
    Term value = item(p, hold.table, a[1]);
    table_let_go(&hold);
    if (a[1] == am_safe_fixed || a[1] == am_safe_fixed_monotonic_time)
        return since(p, hold.table, a[1] == am_safe_fixed_monotonic_time);
    return is_value(value) ? value : ets_badarg(p);
}

/* While it is on, protection of tables does not hold for the calling process. */
Term erts_internal_ets_super_user_1(Process *p, const Term *a) {
    if (a[0] != am_true && a[0] != am_false)
        return fail_badarg(p);
    p->flags = a[0] == am_true ? p->flags | FLAG_ETS_SUPER_USER : p->flags & ~(uint32_t)FLAG_ETS_SUPER_USER;
    return am_ok;
}

/* The first object of a key, and those after it; deleted ones that are there yet among them. */
static const Object *first_kept(Hold *hold, Term key) {
    const Table *t = hold->table;
    if (table_is_tree(t))
        return table_first_object(hold, key);
    const Object *o = *hash_find_place(t, key, hold->hash);
    return o && hash_has_key(t, o, key, hold->hash) ? o : NULL;
}

static const Object *next_kept(const Hold *hold, Term key, const Object *o) {
    const Table *t = hold->table;
    return !table_is_tree(t) && o->next && hash_has_key(t, o->next, key, hold->hash) ? o->next : NULL;
}

#define UNITS_PER_BINARY 50 /* of long work */

/* {Address, Size, References} of every binary that the objects of a key keep alive. */
Term erts_internal_ets_lookup_binary_info_2(Process *p, const Term *a) {
    Hold hold;
    Area *area = process_area(p);
    Term list = NIL;
    if (!ets_hold(p, a[0], ETS_READS, HOLD_READ, a[1], &hold))
        return NON_VALUE;
    for (const Object *o = first_kept(&hold, a[1]); o; o = next_kept(&hold, a[1], o))
        for (OffHeap *h = o->off_heap; h; h = h->next) {
            long_work_count(UNITS_PER_BINARY);
            if (header_kind(h->header) != KIND_BIN_REF)
                continue;
            RefcBinary *b = ((BinRef *)h)->binary;
            Term info = area_tuple3(area, integer_from_uint64(area, (uintptr_t)b), small_make((SWord)b->size),
                                    small_make(atomic_load(&b->refc)));
            list = area_cons(area, info, list);
        }
    table_let_go(&hold);
    return list;
}
