/*
 * The size of a term's external form: the walk of the encoder, with nothing written. Sizes are those of the forms in
 * etf/encode.c, which is also where the items are described; only TERM, RUN, CELLS and NODE are used here.
 */
#include "etf/encode_parts.h"
#include "etf/tags.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/float.h"
#include "term/fun.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/node.h"

/* What stands in front: a tag; a tag and a number of one, two or four bytes. */
enum { TAG = 1, TAG_8 = 2, TAG_16 = 3, TAG_32 = 5 };

typedef struct {
    EtfEncoder *e;
    size_t bytes;
    int64_t work;
    unsigned levels, easy; /* that little terms may have now; how many were little since they were changed */
} Count;

static size_t atom_bytes(const EtfForm *f, Term t) {
    const AtomName *name = atom_name(t);
    if (f->minor < 2 && name->latin1)
        return TAG_16 + name->character_count;
    return (name->byte_count <= 255 ? TAG_8 : TAG_16) + name->byte_count;
}

static size_t big_bytes(const EtfForm *f, Term t) {
    size_t bytes = (integer_bit_length(t) + 7) / 8;
    return (bytes <= 255 ? TAG_8 : TAG_32) + 1 + bytes;
}

static size_t small_bytes(const EtfForm *f, Term t) {
    SWord value = small_value(t);
    if ((Word)value <= 255)
        return TAG_8;
    return value == (int32_t)value ? TAG_32 : big_bytes(f, t);
}

static size_t float_bytes(const EtfForm *f, Term t) { return TAG + (f->minor > 0 ? 8 : ETF_FLOAT_TEXT_BYTES); }

static size_t node_bytes(const EtfForm *f, Term t) {
    return etf_names_no_node(f, t) ? TAG : atom_bytes(f, ident_node_name(t));
}

static size_t pid_bytes(const EtfForm *f, Term t) { return TAG + node_bytes(f, t) + 3 * 4; }

static size_t port_bytes(const EtfForm *f, Term t) {
    return TAG + node_bytes(f, t) + (port_number(t) > ETF_V3_PORT_MAX ? 8 : 4) + 4;
}

static size_t ref_bytes(const EtfForm *f, Term t) {
    uint32_t count;
    ident_ref_numbers(t, &count);
    return TAG_16 + node_bytes(f, t) + 4 + 4 * (size_t)count;
}

static size_t export_bytes(const EtfForm *f, Term t) {
    const Mfa *mfa = export_fun_mfa(t);
    return TAG + atom_bytes(f, mfa->module) + atom_bytes(f, mfa->function) + small_bytes(f, small_make(mfa->arity));
}

/* Without its free variables. Before RELEASE_SIZES_WITH_OPTIONS the old index and uniq are counted as if they were
 * large, which makes some three bytes more than a fun takes. */
static size_t fun_bytes(const EtfForm *f, Term t) {
    const Fun *fun = fun_ptr(t);
    const FunEntry *entry = fun->entry;
    size_t numbers = release_has(RELEASE_SIZES_WITH_OPTIONS) ? small_bytes(f, small_make((int32_t)entry->old_index)) +
                                                                   small_bytes(f, small_make((int32_t)entry->old_uniq))
                                                             : 2 * TAG_32;
    return TAG_32 + 1 + sizeof entry->uniq + 4 + 4 + atom_bytes(f, entry->module) + numbers +
           pid_bytes(f, fun_creator(fun));
}

/* Of what has no form; more than all that has can be. */
#define TOO_LARGE ((size_t)1 << 56)

static size_t bits_bytes(const EtfForm *f, Term t) {
    Word bits = bits_size(t);
    if (unlikely(bits / 8 >= UINT32_MAX))
        return bits > (Word)UINT32_MAX * 8 ? TOO_LARGE : TAG_32 + UINT32_MAX;
    return TAG_32 + (bits % 8 != 0) + (bits + 7) / 8;
}

/* Bytes in a row that end properly are a string when they are not too many; else 0. */
static size_t string_bytes(Term t) {
    size_t count = 0;
    for (; is_list(t) && list_head(t) <= small_make(255) && is_small(list_head(t)) && count <= ETF_STRING_MAX; count++)
        t = list_tail(t);
    return is_nil(t) && count <= ETF_STRING_MAX ? TAG_16 + count : 0;
}

/*
 * What is little, some terms some levels deep, needs no items: it is counted at once. What turns out not to be is
 * counted again as what is large.
 */
#define LITTLE_LEVELS 4
#define LITTLE_TERMS 8
#define LITTLE_STRING 256 /* bytes, of one that is a part: all of them are looked at */

static size_t leaf_bytes(const EtfForm *f, Term t);
static size_t other_bytes(const EtfForm *f, Term t, unsigned levels);

/* Of strings, of what holds no other terms, and of little terms that are not as many levels deep; else 0. */
static inline size_t little_bytes(const EtfForm *f, Term t, unsigned levels) {
    return is_small(t) ? small_bytes(f, t) : is_atom(t) ? atom_bytes(f, t) : other_bytes(f, t, levels);
}

/* What stands in front, and so many terms; 0: they are not all little. */
static size_t all_little_bytes(const EtfForm *f, size_t front, const Term *p, size_t count, unsigned levels) {
    size_t bytes = front;
    for (size_t i = 0; i < count; i++) {
        size_t each = little_bytes(f, p[i], levels);
        if (each == 0 || (each > LITTLE_STRING && is_list(p[i])))
            return 0;
        bytes += each;
    }
    return bytes;
}

static size_t little_map_bytes(const EtfForm *f, Term t, unsigned levels) {
    size_t count = flat_map_size(t);
    size_t keys = all_little_bytes(f, TAG_32, flat_map_keys(t), count, levels);
    return keys == 0 ? 0 : all_little_bytes(f, keys, flat_map_ptr(t)->values, count, levels);
}

static noinline size_t little_list_bytes(const EtfForm *f, Term t, unsigned levels) {
    Term heads[LITTLE_TERMS + 1];
    size_t count = 0;
    for (; is_list(t) && count < LITTLE_TERMS; t = list_tail(t))
        heads[count++] = list_head(t);
    heads[count++] = t;
    return is_list(t) ? 0 : all_little_bytes(f, TAG_32, heads, count, levels);
}

static noinline size_t boxed_bytes(const EtfForm *f, Term t, unsigned levels) {
    if (is_tuple(t))
        return levels == 0 || tuple_arity(t) > LITTLE_TERMS
                   ? 0
                   : all_little_bytes(f, TAG_8, tuple_elements(t), tuple_arity(t), levels - 1);
    if (is_flat_map(t))
        return levels == 0 || flat_map_size(t) > LITTLE_TERMS ? 0 : little_map_bytes(f, t, levels - 1);
    return leaf_bytes(f, t);
}

/* No small, and no atom. */
static noinline size_t other_bytes(const EtfForm *f, Term t, unsigned levels) {
    if (is_boxed(t))
        return is_bitstring(t) ? bits_bytes(f, t) : boxed_bytes(f, t, levels);
    if (is_list(t)) {
        size_t bytes = string_bytes(t);
        return bytes > 0 || levels == 0 ? bytes : little_list_bytes(f, t, levels - 1);
    }
    if (is_nil(t))
        return TAG;
    if (is_self_float(t))
        return float_bytes(f, t);
    return is_local_pid(t) ? pid_bytes(f, t) : port_bytes(f, t);
}

size_t etf_little_size(Term t, unsigned minor) {
    EtfForm form = {.minor = (uint8_t)minor};
    size_t bytes = little_bytes(&form, t, LITTLE_LEVELS);
    return bytes > 0 && bytes < TOO_LARGE ? 1 + bytes : 0;
}

#define EASY 8

/* What is not little was looked at for nothing, some levels deep, unless it is large itself. */
static noinline void found_not_little(Count *c, Term t) {
    bool is_large = is_list(t) ? is_small(list_head(t))
                               : (is_tuple(t) && tuple_arity(t) > LITTLE_TERMS) || is_hash_map(t) ||
                                     (is_flat_map(t) && flat_map_size(t) > LITTLE_TERMS);
    if (!is_large)
        c->levels /= 2;
    c->easy = 0;
}

/* Where terms are nested deep they are tried fewer levels deep, until some in a row are little again: else each were
 * looked at once for each level. */
static inline size_t try_little(Count *c, Term t) {
    size_t bytes = little_bytes(&c->e->form, t, c->levels);
    if (unlikely(bytes == 0)) {
        found_not_little(c, t);
    } else if (unlikely(c->levels < LITTLE_LEVELS) && ++c->easy == EASY) {
        c->levels++;
        c->easy = 0;
    }
    return bytes;
}

static bool count_simple(Count *c, Term t) {
    size_t bytes = try_little(c, t);
    c->bytes += bytes;
    c->work -= (int64_t)(bytes / ETF_BYTES_PER_WORK);
    return bytes > 0;
}

/* What is simple, while there is work left. Returns where it stopped. */
static const Term *count_words(Count *c, const Term *p, const Term *end) {
    size_t bytes = 0, each = 1;
    int64_t work = c->work;
    for (; p < end && work > 0 && (each = try_little(c, *p)) > 0; p++) {
        bytes += each;
        work -= 1 + (int64_t)(each / ETF_BYTES_PER_WORK);
    }
    c->bytes += bytes;
    c->work = work;
    return p;
}

/* What is simple at the beginning of the words needs no item, and a last one that is not simple is returned: it comes
 * next. NON_VALUE: there is none. */
static Term count_run(Count *c, size_t bytes, Term t, size_t count) {
    const Term *p = etf_last_words(t, count), *end = p + count;
    c->bytes += bytes;
    p = count_words(c, p, end);
    if (p + 1 == end && c->work > 0)
        return *p;
    if (p < end)
        etf_push(c->e, ITEM_RUN, (size_t)(end - p), t);
    return NON_VALUE;
}

static Term count_tuple(Count *c, Term t) {
    size_t count = tuple_arity(t);
    return count_run(c, count <= 255 ? TAG_8 : TAG_32, t, count);
}

/* The keys, which are a tuple, and the values. */
static Term count_flat_map(Count *c, Term t) {
    Term key = count_run(c, TAG_32, flat_map_ptr(t)->keys, flat_map_size(t));
    if (is_value(key))
        etf_push(c->e, ITEM_TERM, 0, key);
    return count_run(c, 0, t, flat_map_size(t));
}

static Term count_hash_map(Count *c, Term t) {
    c->bytes += TAG_32;
    etf_push_node(c->e, hash_map_ptr(t)->root);
    return NON_VALUE;
}

static Term count_fun(Count *c, Term t) { return count_run(c, fun_bytes(&c->e->form, t), t, fun_free_count(t)); }

/* An object holds no other terms, or is counted with what it holds. */
static const struct {
    size_t (*leaf)(const EtfForm *f, Term t);
    Term (*count)(Count *c, Term t);
} boxed_kinds[KIND_COUNT] = {
    [KIND_TUPLE] = {.count = count_tuple},       [KIND_FLAT_MAP] = {.count = count_flat_map},
    [KIND_HASH_MAP] = {.count = count_hash_map}, [KIND_FUN] = {.count = count_fun},
    [KIND_EXPORT_FUN] = {.leaf = export_bytes},  [KIND_SUB_BITS] = {.leaf = bits_bytes},
    [KIND_BIN_REF] = {.leaf = bits_bytes},       [KIND_HEAP_BITS] = {.leaf = bits_bytes},
    [KIND_POS_BIG] = {.leaf = big_bytes},        [KIND_NEG_BIG] = {.leaf = big_bytes},
    [KIND_FLOAT] = {.leaf = float_bytes},        [KIND_EXTERNAL_PID] = {.leaf = pid_bytes},
    [KIND_EXTERNAL_PORT] = {.leaf = port_bytes}, [KIND_REF] = {.leaf = ref_bytes},
    [KIND_MAGIC_REF] = {.leaf = ref_bytes},      [KIND_EXTERNAL_REF] = {.leaf = ref_bytes},
};

/* Of those that hold no other terms, and are no cells; else 0. */
static size_t leaf_bytes(const EtfForm *f, Term t) {
    size_t (*leaf)(const EtfForm *, Term) = boxed_kinds[header_kind(boxed_header(t))].leaf;
    return leaf != NULL ? leaf(f, t) : 0;
}

static Term count_boxed(Count *c, Term t) {
    Term (*count)(Count *, Term) = boxed_kinds[header_kind(boxed_header(t))].count;
    if (count == NULL)
        panic("no external form for the object at %p", (void *)boxed_ptr(t));
    return count(c, t);
}

/* What is not simple, and the last of what it holds, and so on. */
static void count_other(Count *c, Term t) {
    while (is_value(t) && !is_list(t)) {
        c->work--;
        t = count_boxed(c, t);
    }
    if (is_list(t)) {
        c->bytes += TAG_32;
        etf_push(c->e, ITEM_CELLS, 0, t);
    }
}

static void count_term(Count *c, Term t) {
    if (!count_simple(c, t))
        count_other(c, t);
}

/*
 * An item goes on until a term leaves one of its own. The item that is used up goes before what its last term holds
 * comes: so nesting to the right takes no room.
 */

static void count_run_on(Count *c, const EtfItem *item) {
    size_t depth = c->e->item_count;
    const Term *p = etf_last_words(item->term, item->count), *end = p + item->count;
    while (p < end - 1 && c->work > 0 && c->e->item_count == depth) {
        p = count_words(c, p, end - 1);
        if (p < end - 1 && c->work > 0) {
            c->work--;
            count_other(c, *p++);
        }
    }
    c->e->items[depth - 1].count = (size_t)(end - p);
    if (p == end - 1 && c->e->item_count == depth) {
        c->e->item_count--;
        count_term(c, *p);
    }
}

static void count_cells(Count *c, const EtfItem *item) {
    size_t depth = c->e->item_count;
    Term t = item->term;
    while (is_list(t) && c->work > 0 && c->e->item_count == depth) {
        c->work--;
        Term head = list_head(t);
        t = list_tail(t);
        if (is_nil(t)) { /* which is one byte */
            c->bytes += TAG;
            c->e->item_count--;
            count_term(c, head);
            return;
        }
        count_term(c, head);
    }
    c->e->items[depth - 1].term = t;
    if (!is_list(t) && c->e->item_count == depth) {
        c->e->item_count--;
        count_term(c, t);
    }
}

/* A child is a cell [Key | Value], or a node. */
static void count_node(Count *c, EtfItem *item) {
    Term child = boxed_ptr(item->term)[1 + item->count];
    if (--item->count == 0)
        c->e->item_count--;
    if (is_list(child)) {
        etf_push(c->e, ITEM_TERM, 0, list_tail(child));
        count_term(c, list_head(child));
    } else {
        etf_push_node(c->e, child);
    }
}

EtfStatus etf_encoder_count(EtfEncoder *e, int64_t *work) {
    Count c = {.e = e, .work = *work, .levels = LITTLE_LEVELS};
    while (e->item_count > 0 && c.work > 0) {
        EtfItem *item = etf_newest_item(e);
        c.work--;
        switch (item->kind) {
        case ITEM_RUN: count_run_on(&c, item); break;
        case ITEM_CELLS: count_cells(&c, item); break;
        case ITEM_NODE: count_node(&c, item); break;
        default: e->item_count--; count_term(&c, item->term);
        }
    }
    e->flushed += c.bytes;
    if (unlikely(e->flushed >= TOO_LARGE)) {
        *work = 0;
        return ETF_SYSTEM_LIMIT;
    }
    *work = c.work;
    return e->item_count == 0 ? ETF_DONE : ETF_MORE;
}
