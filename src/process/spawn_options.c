#include "process/spawn_options.h"

#include "process/run_queue.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/map.h"
#include "term/stock_word.h"

static bool is_small_within(Term t, SWord low, SWord high) {
    return is_small(t) && small_value(t) >= low && small_value(t) <= high;
}

bool scheduler_decode(Term t, unsigned *scheduler) {
    if (!is_small_within(t, 0, run_queue_count()))
        return false;
    *scheduler = (unsigned)small_value(t);
    return true;
}

bool priority_decode(Term t, Priority *priority) {
    static const Term names[] = {am_max, am_high, am_normal, am_low};
    for (unsigned i = 0; i < PRIORITY_COUNT; i++) {
        if (t == names[i]) {
            *priority = (Priority)i;
            return true;
        }
    }
    return false;
}

static bool flag_decode(Term map, Term key, uint8_t bit, uint8_t *flags) {
    const Term *value = map_get(map, key);
    if (!value)
        return true;
    if (*value != am_true && *value != am_false)
        return false;
    *flags = (uint8_t)(*value == am_true ? *flags | bit : *flags & ~bit);
    return true;
}

bool max_heap_size_decode(Term t, size_t *words, uint8_t *flags) {
    size_t least = spawn_defaults.min_heap_words, size = *words;
    uint8_t bits = *flags;
    if (is_map(t)) {
        const Term *given = map_get(t, am_size);
        if (!given || !flag_decode(t, am_kill, HEAP_MAX_KILL, &bits) ||
            !flag_decode(t, am_error_logger, HEAP_MAX_LOG, &bits) ||
            (release_has(RELEASE_LIMIT_OF_BINARIES) &&
             !flag_decode(t, am_include_shared_binaries, HEAP_MAX_SHARED, &bits)))
            return false;
        t = *given;
    }
    if (!is_small_within(t, 0, STOCK_SMALL_MAX))
        return false;
    size = (size_t)small_value(t);
    if (size != 0 && size < least)
        return false;
    *words = size;
    *flags = bits;
    return true;
}

static bool alias_mode_decode(Term t, AliasMode *mode) {
    if (t == am_explicit_unalias)
        *mode = ALIAS_EXPLICIT_UNALIAS;
    else if (t == am_demonitor)
        *mode = ALIAS_DEMONITOR;
    else if (t == am_reply_demonitor)
        *mode = ALIAS_REPLY_DEMONITOR;
    else
        return false;
    return true;
}

static bool monitor_option_decode(Term option, MonitorOptions *o) {
    if (option == am_priority && release_has(RELEASE_PRIORITY_MESSAGES)) {
        o->down_is_priority = true;
        return true;
    }
    if (!is_tuple_arity(option, 2))
        return false;
    Term key = tuple_elements(option)[0], value = tuple_elements(option)[1];
    if (key == am_tag)
        o->tag = value;
    return key == am_tag || (key == am_alias && alias_mode_decode(value, &o->alias));
}

bool monitor_options_decode(Term list, Term default_tag, MonitorOptions *o) {
    *o = MONITOR_DEFAULTS;
    o->tag = default_tag;
    for (; is_list(list); list = list_tail(list))
        if (!monitor_option_decode(list_head(list), o))
            return false;
    return is_nil(list);
}

bool priority_option_decode(Term list, bool *is_priority) {
    *is_priority = false;
    for (; is_list(list) && list_head(list) == am_priority; list = list_tail(list))
        *is_priority = true;
    return is_nil(list);
}

size_t virtual_words_step(size_t words) {
    return words < HEAP_DEFAULT_VIRTUAL_WORDS ? HEAP_DEFAULT_VIRTUAL_WORDS : heap_step(words);
}

static bool size_decode(Term t, size_t *size) {
    if (!is_small_within(t, 0, STOCK_SMALL_MAX))
        return false;
    *size = (size_t)small_value(t);
    return true;
}

static bool reply_decode(Term value, SpawnReply *reply) {
    if (value != am_yes && value != am_no && value != am_success_only && value != am_error_only)
        return false;
    reply->on_success = value == am_yes || value == am_success_only;
    reply->on_error = value == am_yes || value == am_error_only;
    return true;
}

bool spawn_reply_decode(Term key, Term value, SpawnReply *reply) {
    if (key == am_reply_tag)
        reply->tag = value;
    return key == am_reply_tag || (key == am_reply && reply_decode(value, reply));
}

static bool pair_decode(Term key, Term value, SpawnOptions *o, SpawnReply *reply) {
    size_t size;
    if (key == am_priority)
        return priority_decode(value, &o->priority);
    if (key == am_scheduler)
        return scheduler_decode(value, &o->bound_queue);
    if (key == am_monitor) {
        o->monitor = true;
        return monitor_options_decode(value, am_DOWN, &o->monitor_options);
    }
    if (key == am_link && release_has(RELEASE_PRIORITY_MESSAGES)) {
        o->link = true;
        return priority_option_decode(value, &o->link_is_priority);
    }
    if (key == am_message_queue_data) {
        o->off_heap = value == am_off_heap;
        return value == am_off_heap || value == am_on_heap;
    }
    if (key == am_async_dist && release_has(RELEASE_ASYNC_DIST)) {
        o->async_dist = value == am_true;
        return value == am_true || value == am_false;
    }
    if (key == am_max_heap_size)
        return max_heap_size_decode(value, &o->max_heap_words, &o->max_heap_flags);
    if ((key == am_reply || key == am_reply_tag) && reply)
        return spawn_reply_decode(key, value, reply);
    if (!size_decode(value, &size))
        return false;
    if (key == am_min_heap_size)
        o->min_heap_words = heap_step(size < HEAP_DEFAULT_WORDS ? HEAP_DEFAULT_WORDS : size);
    else if (key == am_min_bin_vheap_size)
        o->min_virtual_words = virtual_words_step(size);
    else if (key == am_fullsweep_after)
        o->fullsweep_after = size > UINT16_MAX ? UINT16_MAX : (uint16_t)size;
    else
        return false;
    return true;
}

SpawnOptionsResult spawn_options_decode(Term list, SpawnOptions *o, SpawnReply *reply) {
    spawn_options_init(o);
    o->given = list;
    if (reply)
        *reply = (SpawnReply){am_spawn_reply, true, true};
    bool good = true; /* what comes after a bad one may say how that is told */
    for (; is_list(list); list = list_tail(list)) {
        Term option = list_head(list);
        if (option == am_link)
            o->link = true;
        else if (option == am_monitor)
            o->monitor = true;
        else if (!is_tuple_arity(option, 2) ||
                 !pair_decode(tuple_elements(option)[0], tuple_elements(option)[1], o, reply))
            good = false;
    }
    if (!is_nil(list))
        return SPAWN_OPTIONS_NO_LIST;
    good = good && (o->max_heap_words == 0 || o->max_heap_words >= o->min_heap_words);
    return good ? SPAWN_OPTIONS_OK : SPAWN_OPTIONS_BAD;
}
