#include "distribution/header.h"

#include <string.h>

#include "base/mix.h"
#include "base/reader.h"
#include "etf/tags.h"

/* The byte behind ETF_VERSION. */
enum { TAG_NORMAL = 68, TAG_FIRST = 69, TAG_CONTINUING = 70, PASS_THROUGH = 112 };

/* Half a byte of flags for each atom, the lower half first: the slot's segment, and whether it is new; and one more for
 * all of them. */
#define SLOTS_PER_SEGMENT 256
#define FLAG_NEW 8
#define FLAG_LONG_ATOMS 1
#define FIXED_BYTES 3 /* version, tag, number of atoms */
static inline size_t flag_bytes(unsigned atom_count) { return atom_count == 0 ? 0 : atom_count / 2 + 1; }

/* --- out --- */

#define SET_SLOTS (ATOM_CACHE_SLOTS / ATOM_CACHE_SETS)

void atom_cache_out_init(AtomCacheOut *cache) {
    cache->now = 0;
    memset(cache->used, 0, sizeof cache->used);
}

static void begin_message(AtomCacheOut *cache) {
    if (++cache->now != 0)
        return;
    for (size_t i = 0; i < ATOM_CACHE_SLOTS; i++) /* all are equally old */
        cache->used[i] = cache->used[i] != 0;
    cache->now = 2;
}

/* In a set; ATOM_CACHE_SLOTS: it is not there. */
static unsigned find_slot(const AtomCacheOut *cache, unsigned set, uint32_t index) {
    for (unsigned slot = set; slot < set + SET_SLOTS; slot++)
        if (cache->index[slot] == index && cache->used[slot] != 0)
            return slot;
    return ATOM_CACHE_SLOTS;
}

/* Of a set the one that was used longest ago; of the next set when this message has all of it: there is one, as a
 * message has less atoms than there are slots. */
static unsigned oldest_slot(const AtomCacheOut *cache, unsigned set) {
    for (;; set = (set + SET_SLOTS) % ATOM_CACHE_SLOTS) {
        unsigned oldest = set;
        for (unsigned slot = set + 1; slot < set + SET_SLOTS; slot++)
            if (cache->used[slot] < cache->used[oldest])
                oldest = slot;
        if (cache->used[oldest] != cache->now)
            return oldest;
    }
}

unsigned atom_cache_out_set(uint32_t index) { return (unsigned)(mix_word(index) % ATOM_CACHE_SLOTS) / SET_SLOTS; }

/* The slot of an atom, and whether it is new there. */
static uint16_t take_slot(AtomCacheOut *cache, uint32_t index) {
    unsigned set = atom_cache_out_set(index) * SET_SLOTS;
    unsigned slot = find_slot(cache, set, index);
    bool new = slot == ATOM_CACHE_SLOTS;
    if (new)
        slot = oldest_slot(cache, set);
    cache->index[slot] = index;
    cache->used[slot] = cache->now;
    return (uint16_t)(slot | (new ? HEADER_SLOT_NEW : 0));
}

void header_out_prepare(HeaderOut *h, AtomCacheOut *cache, const EtfAtoms *atoms) {
    size_t new_count = 0, text = 0;
    h->atoms = atoms;
    h->long_atoms = false;
    begin_message(cache);
    for (unsigned i = 0; i < atoms->count; i++) {
        h->slots[i] = take_slot(cache, atoms->indices[i]);
        if (!(h->slots[i] & HEADER_SLOT_NEW))
            continue;
        uint32_t bytes = atom_name(etf_atoms_at(atoms, i))->byte_count;
        h->long_atoms = h->long_atoms || bytes > UINT8_MAX;
        text += bytes;
        new_count++;
    }
    h->size = FIXED_BYTES + flag_bytes(atoms->count) + atoms->count + new_count * (h->long_atoms ? 2 : 1) + text;
}

static uint8_t *store64(uint8_t *p, uint64_t v) {
    for (int shift = 56; shift >= 0; shift -= 8)
        *p++ = (uint8_t)(v >> shift);
    return p;
}

static uint8_t *store_start(uint8_t *p, uint8_t tag, const FragmentId *id) {
    *p++ = ETF_VERSION;
    *p++ = tag;
    return id == NULL ? p : store64(store64(p, id->sequence), id->fragment);
}

static uint8_t *store_flags(uint8_t *p, const HeaderOut *h, unsigned count) {
    memset(p, 0, flag_bytes(count));
    for (unsigned i = 0; i < count; i++) {
        unsigned flags = h->slots[i] / SLOTS_PER_SEGMENT; /* FLAG_NEW is HEADER_SLOT_NEW */
        p[i / 2] |= (uint8_t)(i % 2 == 0 ? flags : flags << 4);
    }
    if (h->long_atoms)
        p[count / 2] |= count % 2 == 0 ? FLAG_LONG_ATOMS : FLAG_LONG_ATOMS << 4;
    return p + flag_bytes(count);
}
_Static_assert(HEADER_SLOT_NEW / SLOTS_PER_SEGMENT == FLAG_NEW, "a slot's number and its flag are made of one word");

static uint8_t *store_text(uint8_t *p, Term atom, bool long_atoms) {
    const AtomName *name = atom_name(atom);
    if (long_atoms)
        *p++ = (uint8_t)(name->byte_count >> 8);
    *p++ = (uint8_t)name->byte_count;
    memcpy(p, name->bytes, name->byte_count);
    return p + name->byte_count;
}

void header_out_write(const HeaderOut *h, HeaderKind kind, const FragmentId *id, uint8_t *to) {
    unsigned count = h->atoms->count;
    uint8_t *p = store_start(to, kind == HEADER_FIRST ? TAG_FIRST : TAG_NORMAL, id);
    *p++ = (uint8_t)count;
    if (count > 0)
        p = store_flags(p, h, count);
    for (unsigned i = 0; i < count; i++) {
        *p++ = (uint8_t)h->slots[i];
        if (h->slots[i] & HEADER_SLOT_NEW)
            p = store_text(p, etf_atoms_at(h->atoms, i), h->long_atoms);
    }
    assume((size_t)(p - to) == header_out_size(h, kind));
}

void header_out_continue(const FragmentId *id, uint8_t *to) { store_start(to, TAG_CONTINUING, id); }

/* --- in --- */

void atom_cache_in_init(AtomCacheIn *cache) {
    for (size_t i = 0; i < ATOM_CACHE_SLOTS; i++)
        cache->slots[i] = NON_VALUE;
}

static HeaderStatus read_text(Reader *in, bool long_atoms, Term *slot) {
    size_t bytes = long_atoms ? reader_u16(in) : reader_u8(in);
    const uint8_t *text = reader_take(in, bytes);
    bool full = false;
    Term atom = text == NULL ? NON_VALUE : atom_put(text, bytes, &full);
    if (!is_value(atom))
        return full ? HEADER_ATOMS_FULL : HEADER_BAD;
    *slot = atom;
    return HEADER_READ;
}

static HeaderStatus read_atom(Reader *in, AtomCacheIn *cache, unsigned flags, bool long_atoms, Term *atom) {
    Term *slot = &cache->slots[(flags & (FLAG_NEW - 1)) * SLOTS_PER_SEGMENT + reader_u8(in)];
    if (in->bad)
        return HEADER_BAD;
    HeaderStatus status = flags & FLAG_NEW ? read_text(in, long_atoms, slot) : HEADER_READ;
    *atom = *slot;
    return status == HEADER_READ && !is_value(*atom) ? HEADER_BAD : status;
}

static unsigned half_byte(const uint8_t *flags, unsigned i) {
    return i % 2 == 0 ? flags[i / 2] & 15 : flags[i / 2] >> 4;
}

static HeaderStatus read_atoms(HeaderIn *h, AtomCacheIn *cache, Reader *in) {
    h->atom_count = reader_u8(in);
    const uint8_t *flags = reader_take(in, flag_bytes(h->atom_count));
    if (flags == NULL)
        return HEADER_BAD;
    bool long_atoms = h->atom_count > 0 && (half_byte(flags, h->atom_count) & FLAG_LONG_ATOMS);
    HeaderStatus status = HEADER_READ;
    for (unsigned i = 0; i < h->atom_count && status == HEADER_READ; i++)
        status = read_atom(in, cache, half_byte(flags, i), long_atoms, &h->atoms[i]);
    return status;
}

static HeaderStatus read_tagged(HeaderIn *h, AtomCacheIn *cache, Reader *in) {
    uint8_t tag = reader_u8(in);
    h->kind = tag == TAG_NORMAL ? HEADER_NORMAL : tag == TAG_FIRST ? HEADER_FIRST : HEADER_CONTINUING;
    if (tag != TAG_NORMAL && tag != TAG_FIRST && tag != TAG_CONTINUING)
        return HEADER_BAD;
    if (h->kind != HEADER_NORMAL) {
        h->id.sequence = reader_u64(in);
        h->id.fragment = reader_u64(in);
        if (h->id.fragment == 0) /* or it is cut off */
            return HEADER_BAD;
    }
    return h->kind == HEADER_CONTINUING ? HEADER_READ : read_atoms(h, cache, in);
}

bool header_may_have_atoms(const uint8_t *bytes) { return bytes[0] == ETF_VERSION; }

HeaderStatus header_in_read(HeaderIn *h, AtomCacheIn *cache, const uint8_t *bytes, size_t size) {
    Reader in = reader_make(bytes, size);
    HeaderStatus status = HEADER_READ;
    h->atom_count = 0;
    h->id = (FragmentId){0, 0};
    uint8_t first = reader_u8(&in);
    if (first == PASS_THROUGH)
        h->kind = HEADER_PASS_THROUGH;
    else
        status = first == ETF_VERSION ? read_tagged(h, cache, &in) : HEADER_BAD;
    h->size = (size_t)(in.at - bytes);
    return in.bad && status == HEADER_READ ? HEADER_BAD : status;
}
