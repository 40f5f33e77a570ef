/*
 * How one table, or one key of it, is held: table_hold, table_hold_key and table_let_go (ets/table.h), to be compiled
 * into what is called often and knows the kind.
 */
#ifndef VIV_ETS_HOLD_H
#define VIV_ETS_HOLD_H

#include "ets/catree.h"
#include "ets/hash.h"

force_inline bool hold_table(Table *t, HoldKind kind, Hold *hold) {
    if (!t->shares_writes && kind == HOLD_WRITE)
        kind = HOLD_EXCLUSIVE;
    *hold = (Hold){.table = t, .kind = kind};
    if (kind == HOLD_EXCLUSIVE) {
        table_lock_write(&t->lock, &t->name);
        t->changes++;
    } else {
        table_lock_read(&t->lock, &t->name);
    }
    if (likely(!atomic_load_explicit(&t->deleted, memory_order_relaxed)))
        return true;
    if (kind == HOLD_EXCLUSIVE)
        table_unlock_write(&t->lock);
    else
        table_unlock_read(&t->lock);
    return false;
}

force_inline void hold_leaf(Table *t, HoldKind kind, Term key, Hold *hold) {
    Term low, high;
    if (!t->shares_writes)
        hold->root = catree_only_root(t);
    else if (hold->kind != HOLD_EXCLUSIVE)
        hold->root = leaf_root(hold->leaf = catree_enter(t, place_at(key), kind == HOLD_WRITE, &low, &high));
}

force_inline void hold_stripe(Table *t, HoldKind kind, Hold *hold) {
    if (t->stripe_count == 1 || hold->kind == HOLD_EXCLUSIVE)
        return;
    hold->stripe = table_stripe(t, hold->hash);
    if (kind == HOLD_WRITE)
        fair_lock_write(&hold->stripe->lock, &t->name);
    else
        fair_lock_read(&hold->stripe->lock, &t->name);
}

force_inline bool hold_key(Table *t, HoldKind kind, Term key, Hold *hold) {
    bool is_tree = table_is_tree(t);
    uint32_t hash = is_tree ? 0 : hash_key(key);
    if (!hold_table(t, kind, hold))
        return false;
    hold->hash = hash;
    hold->key = key;
    if (is_tree)
        hold_leaf(t, kind, key, hold);
    else
        hold_stripe(t, kind, hold);
    return true;
}

force_inline void hold_end(Hold *hold) {
    Table *t = hold->table;
    if (hold->stripe && hold->kind == HOLD_WRITE)
        fair_lock_end_write(&hold->stripe->lock);
    else if (hold->stripe)
        fair_lock_end_read(&hold->stripe->lock);
    if (hold->leaf && hold->kind == HOLD_WRITE)
        catree_leave_written(t, hold->leaf, hold->key);
    else if (hold->leaf)
        catree_leave(t, hold->leaf, false);
    if (hold->kind != HOLD_READ && !table_is_tree(t))
        hash_adjust(t, hold->hash);
    if (hold->kind == HOLD_EXCLUSIVE)
        table_unlock_write(&t->lock);
    else
        table_unlock_read(&t->lock);
}

#endif
