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
#include "term/map.h"
#include "term/node.h"

/* What stands in front: a tag; a tag and a number of one, two or four bytes. */
enum { TAG = 1, TAG_8 = 2, TAG_16 = 3, TAG_32 = 5 };

typedef struct {
    EtfEncoder *e;
    int64_t work, later; /* what may be done now, and when there are fewer items */
    size_t items_most;   /* for more to be left */
} Count;

static inline size_t atom_bytes(const EtfForm *f, Term t) {
    const AtomName *name = atom_name(t);
    if (f->minor < 2 && name->latin1)
        return TAG_16 + name->character_count;
    return (name->byte_count <= 255 ? TAG_8 : TAG_16) + name->byte_count;
}

/* Of an integer that takes so many bits. */
static inline size_t big_bytes_of(size_t bits) {
    size_t bytes = (bits + 7) / 8;
    return (bytes <= 255 ? TAG_8 : TAG_32) + 1 + bytes;
}

/* The highest limb is not 0. */
static size_t big_bytes(const EtfForm *f, Term t) {
    size_t limbs = header_arity(boxed_header(t));
    return big_bytes_of(64 * limbs - (size_t)__builtin_clzll(boxed_ptr(t)[limbs]));
}

static inline size_t small_bytes(Term t) {
    SWord value = small_value(t);
    if ((Word)value <= 255)
        return TAG_8;
    return value == (int32_t)value ? TAG_32
                                   : big_bytes_of(64 - (size_t)__builtin_clzll((Word)(value < 0 ? -value : value)));
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
    return TAG + atom_bytes(f, mfa->module) + atom_bytes(f, mfa->function) + small_bytes(small_make(mfa->arity));
}

/* Without its free variables. Before RELEASE_SIZES_WITH_OPTIONS the old index and uniq are counted as if they were
 * large, which makes some three bytes more than a fun takes. */
static size_t fun_bytes(const EtfForm *f, Term t) {
    const Fun *fun = fun_ptr(t);
    const FunEntry *entry = fun->entry;
    size_t numbers = release_has(RELEASE_SIZES_WITH_OPTIONS) ? small_bytes(small_make((int32_t)entry->old_index)) +
                                                                   small_bytes(small_make((int32_t)entry->old_uniq))
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

static inline size_t heap_bits_bytes(Term t) {
    Word bits = ((const HeapBits *)boxed_ptr(t))->size;
    return TAG_32 + (bits % 8 != 0) + (bits + 7) / 8;
}

/* Bytes in a row that end properly are a string when they are not too many; else 0. */
static noinline size_t string_bytes(Term t) {
    size_t count = 0;
    for (; is_list(t) && list_head(t) <= small_make(255) && is_small(list_head(t)) && count <= ETF_STRING_MAX; count++)
        t = list_tail(t);
    return is_nil(t) && count <= ETF_STRING_MAX ? TAG_16 + count : 0;
}

static noinline size_t immediate_bytes(const EtfForm *f, Term t) {
    if (is_nil(t))
        return TAG;
    if (is_self_float(t))
        return float_bytes(f, t);
    return is_local_pid(t) ? pid_bytes(f, t) : port_bytes(f, t);
}

static noinline size_t boxed_bytes(const EtfForm *f, Term t);

/* Of what holds no other terms, and of strings; else 0. */
force_inline size_t simple_bytes(const EtfForm *f, Term t) {
    if (is_small(t))
        return small_bytes(t);
    if (is_atom(t))
        return atom_bytes(f, t);
    if (is_boxed(t)) {
        Term header = boxed_header(t);
        if (header_is(header, KIND_TUPLE))
            return 0;
        return header_is(header, KIND_HEAP_BITS) ? heap_bits_bytes(t) : boxed_bytes(f, t);
    }
    return is_list(t) ? string_bytes(t) : immediate_bytes(f, t);
}

/*
 * A size is a sum, so its parts may be counted in any order. What a term holds is counted by recursion, some levels
 * deep; below that, and where the work is used up, what is left becomes an item, to come when the recursion is over.
 * What stands last in its term leaves no item for that, and not many items are left at a time: so there is as much room
 * taken as a term is deep, and none for nesting to the right.
 */
#define LEVELS 8
#define ITEMS_LEFT 64

/* When there are many items the rest of the work waits. */
static void leave(Count *c, uint8_t kind, size_t count, Term t) {
    etf_push(c->e, kind, count, t);
    if (unlikely(c->e->item_count > c->items_most) && c->work > 0) {
        c->later += c->work;
        c->work = 0;
    }
}

static size_t inner_bytes(Count *c, Term t, unsigned levels);

/* Of a term of which `bytes` are its simple_bytes: it is not simple, or more than a unit of work. */
static noinline size_t more_bytes(Count *c, Term t, size_t bytes, unsigned levels) {
    if (bytes == 0)
        return inner_bytes(c, t, levels);
    c->work -= (int64_t)(bytes / ETF_BYTES_PER_WORK);
    return bytes;
}

static inline bool is_little(size_t bytes) { return likely(bytes - 1 < ETF_BYTES_PER_WORK - 1); }

static inline size_t term_bytes(Count *c, Term t, unsigned levels) {
    size_t bytes = simple_bytes(&c->e->form, t);
    return is_little(bytes) ? bytes : more_bytes(c, t, bytes, levels);
}

/* The last words of an object. */
static size_t words_bytes(Count *c, Term holder, size_t count, unsigned levels) {
    size_t bytes = 0;
    int64_t work = c->work;
    for (const Term *p = etf_last_words(holder, count); count > 0 && work > 0; p++, count--) {
        size_t each = simple_bytes(&c->e->form, *p);
        work--;
        if (!is_little(each)) {
            c->work = work;
            each = more_bytes(c, *p, each, levels);
            work = c->work;
        }
        bytes += each;
    }
    c->work = work;
    if (unlikely(count > 0))
        leave(c, ITEM_RUN, count, holder);
    return bytes;
}

/* The cells and the tail, which is one byte when it is nil. */
static size_t cells_bytes(Count *c, Term t, unsigned levels) {
    size_t bytes = 0;
    int64_t work = c->work;
    for (; is_list(t) && work > 0; t = list_tail(t)) {
        size_t each = simple_bytes(&c->e->form, list_head(t));
        work--;
        if (!is_little(each)) {
            c->work = work;
            each = more_bytes(c, list_head(t), each, levels);
            work = c->work;
        }
        bytes += each;
    }
    c->work = work;
    if (likely(!is_list(t)))
        return bytes + term_bytes(c, t, levels);
    leave(c, ITEM_CELLS, 0, t);
    return bytes;
}

/* The last children of a node of a large map: a cell [Key | Value] each, or a node. */
static size_t children_bytes(Count *c, Term node, size_t count, unsigned levels) {
    size_t bytes = 0;
    for (const Term *p = etf_last_words(node, count); count > 0 && c->work > 0; p++, count--) {
        c->work -= 2;
        if (is_list(*p))
            bytes += term_bytes(c, list_head(*p), levels) + term_bytes(c, list_tail(*p), levels);
        else if (levels > 0)
            bytes += children_bytes(c, *p, node_count(boxed_ptr(*p)), levels - 1);
        else
            leave(c, ITEM_NODE, node_count(boxed_ptr(*p)), *p);
    }
    if (unlikely(count > 0))
        leave(c, ITEM_NODE, count, node);
    return bytes;
}

static size_t tuple_bytes(Count *c, Term t, unsigned levels) {
    size_t count = tuple_arity(t);
    return (count <= 255 ? TAG_8 : TAG_32) + words_bytes(c, t, count, levels);
}

/* The keys are a tuple. */
static size_t flat_map_bytes(Count *c, Term t, unsigned levels) {
    size_t count = flat_map_size(t), keys = words_bytes(c, flat_map_ptr(t)->keys, count, levels);
    return TAG_32 + keys + words_bytes(c, t, count, levels);
}

static size_t hash_map_bytes(Count *c, Term t, unsigned levels) {
    Term root = hash_map_ptr(t)->root;
    return TAG_32 + children_bytes(c, root, node_count(boxed_ptr(root)), levels);
}

static size_t whole_fun_bytes(Count *c, Term t, unsigned levels) {
    return fun_bytes(&c->e->form, t) + words_bytes(c, t, fun_free_count(t), levels);
}

/* An object holds no other terms, or is counted with what it holds. */
static const struct {
    size_t (*leaf)(const EtfForm *f, Term t);
    size_t (*inner)(Count *c, Term t, unsigned levels);
} boxed_kinds[KIND_COUNT] = {
    [KIND_TUPLE] = {.inner = tuple_bytes},       [KIND_FLAT_MAP] = {.inner = flat_map_bytes},
    [KIND_HASH_MAP] = {.inner = hash_map_bytes}, [KIND_FUN] = {.inner = whole_fun_bytes},
    [KIND_EXPORT_FUN] = {.leaf = export_bytes},  [KIND_SUB_BITS] = {.leaf = bits_bytes},
    [KIND_BIN_REF] = {.leaf = bits_bytes},       [KIND_HEAP_BITS] = {.leaf = bits_bytes},
    [KIND_POS_BIG] = {.leaf = big_bytes},        [KIND_NEG_BIG] = {.leaf = big_bytes},
    [KIND_FLOAT] = {.leaf = float_bytes},        [KIND_EXTERNAL_PID] = {.leaf = pid_bytes},
    [KIND_EXTERNAL_PORT] = {.leaf = port_bytes}, [KIND_REF] = {.leaf = ref_bytes},
    [KIND_MAGIC_REF] = {.leaf = ref_bytes},      [KIND_EXTERNAL_REF] = {.leaf = ref_bytes},
};

static noinline size_t boxed_bytes(const EtfForm *f, Term t) {
    size_t (*leaf)(const EtfForm *, Term) = boxed_kinds[header_kind(boxed_header(t))].leaf;
    return leaf != NULL ? leaf(f, t) : 0;
}

/* Of a term that is not simple, or so much of it as is not left as items. */
static noinline size_t inner_bytes(Count *c, Term t, unsigned levels) {
    if (unlikely(levels == 0 || c->work <= 0)) {
        leave(c, ITEM_TERM, 0, t);
        return 0;
    }
    if (is_list(t))
        return TAG_32 + cells_bytes(c, t, levels - 1);
    if (is_tuple(t))
        return tuple_bytes(c, t, levels - 1);
    size_t (*inner)(Count *, Term, unsigned) = boxed_kinds[header_kind(boxed_header(t))].inner;
    if (inner == NULL)
        panic("no external form for the object at %p", (void *)boxed_ptr(t));
    return inner(c, t, levels - 1);
}

static size_t item_bytes(Count *c, EtfItem item) {
    switch (item.kind) {
    case ITEM_RUN: return words_bytes(c, item.term, item.count, LEVELS);
    case ITEM_CELLS: return cells_bytes(c, item.term, LEVELS);
    case ITEM_NODE: return children_bytes(c, item.term, item.count, LEVELS);
    default: return term_bytes(c, item.term, LEVELS);
    }
}

bool etf_encoder_init_count(EtfEncoder *e, Term t, unsigned minor, int64_t *work, size_t *bytes) {
    etf_items_init(e);
    e->form = (EtfForm){.minor = (uint8_t)minor};
    Count c = {.e = e, .work = *work, .items_most = ITEMS_LEFT};
    *bytes = 1 + term_bytes(&c, t, LEVELS);
    *work = c.work + c.later;
    if (likely(e->item_count == 0 && *bytes < TOO_LARGE))
        return true;
    etf_encoder_init_bytes(e, ETF_COUNT);
    e->flushed = *bytes;
    return false;
}

EtfStatus etf_encoder_count(EtfEncoder *e, int64_t *work) {
    Count c = {.e = e, .work = *work};
    while (e->item_count > 0 && c.work > 0) {
        EtfItem item = *etf_newest_item(e);
        e->item_count--;
        c.items_most = e->item_count + ITEMS_LEFT;
        e->flushed += item_bytes(&c, item);
        c.work += c.later - 1;
        c.later = 0;
    }
    if (unlikely(e->flushed >= TOO_LARGE)) {
        *work = 0;
        return ETF_SYSTEM_LIMIT;
    }
    *work = c.work;
    return e->item_count == 0 ? ETF_DONE : ETF_MORE;
}
