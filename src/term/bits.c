/* Views, constructors, windows and appending. The operations on raw runs of bits are in bits_run.c. */
#include "term/bits.h"

#include "alloc/alloc.h"
#include "base/copy_bytes.h"
#include "term/refc_binary.h"

#define APPEND_MIN_CAPACITY 256

void bits_view(Term t, BitsView *view) {
    Term *p = boxed_ptr(t);
    if (header_kind(p[0]) == KIND_SUB_BITS) {
        const SubBits *sub = (const SubBits *)p;
        Word offset = (Word)small_value(sub->offset);
        *view = (BitsView){bits_origin_bytes(sub->origin) + offset / 8, offset % 8, (Word)small_value(sub->size)};
    } else {
        *view = (BitsView){bits_origin_bytes(t), 0, bits_size(t)};
    }
}

const uint8_t *binary_bytes(Term binary, size_t *bytes, uint8_t **copy) {
    BitsView view;
    bits_view(binary, &view);
    *bytes = view.bit_size / 8;
    *copy = NULL;
    if (view.bit_offset == 0)
        return view.bytes;
    *copy = mem_alloc(ALLOC_TEMP, *bytes + 1);
    bits_copy(*copy, 0, view.bytes, view.bit_offset, view.bit_size);
    return *copy;
}

static BinRef *bin_ref_make(Area *area, RefcBinary *binary, size_t bytes, Word flags) {
    BinRef *ref = (BinRef *)area_alloc(area, BIN_REF_WORDS);
    ref->header = header_make(KIND_BIN_REF, BIN_REF_WORDS - 1);
    ref->binary = binary;
    ref->size = small_make((SWord)bytes);
    ref->flags = small_make((SWord)flags);
    area_link_off_heap(area, (OffHeap *)ref, binary->size);
    return ref;
}

static Term sub_bits_make(Area *area, Term origin, Word offset, Word size) {
    Term *at = area_alloc(area, SUB_BITS_WORDS);
    return sub_bits_write(at, origin, small_make((SWord)offset), small_make((SWord)size));
}

static Term heap_bits_make(Area *area, Word bits, uint8_t **data) {
    size_t words = HEAP_BITS_WORDS((bits + 7) / 8);
    HeapBits *heap = (HeapBits *)area_alloc(area, words);
    heap->header = header_make(KIND_HEAP_BITS, words - 1);
    heap->size = bits;
    if (bits > 0)
        ((Word *)heap)[words - 1] = 0;
    *data = heap->bytes;
    return boxed_make(heap);
}

Term bits_make(Area *area, Word bits, uint8_t **data) {
    size_t bytes = (bits + 7) / 8;
    if (bytes <= HEAP_BITS_MAX_BYTES)
        return heap_bits_make(area, bits, data);
    RefcBinary *binary = refc_binary_create(bytes);
    binary->bytes[bytes - 1] = 0;
    *data = binary->bytes;
    Term ref = boxed_make(bin_ref_make(area, binary, bytes, 0));
    return bits % 8 == 0 ? ref : sub_bits_make(area, ref, 0, bits);
}

Term binary_make(Area *area, size_t bytes, uint8_t **data) { return bits_make(area, (Word)bytes * 8, data); }

Term binary_from_bytes(Area *area, const void *bytes, size_t count) {
    uint8_t *data;
    if (likely(count <= HEAP_BITS_MAX_BYTES)) {
        Term t = heap_bits_make(area, 8 * (Word)count, &data);
        copy_few_bytes(data, bytes, count);
        return t;
    }
    Term t = binary_make(area, count, &data);
    copy_bytes(data, bytes, count);
    return t;
}

Term bits_from_view(Area *area, const BitsView *view) {
    uint8_t *data;
    Term t = bits_make(area, view->bit_size, &data);
    bits_copy(data, 0, view->bytes, view->bit_offset, view->bit_size);
    return t;
}

Term binary_from_refc(Area *area, RefcBinary *binary, size_t bytes) {
    return boxed_make(bin_ref_make(area, binary, bytes, 0));
}

Term bits_elsewhere(Area *area, RefcBinary *binary, const void *data, size_t bytes) {
    Term origin = boxed_make(bin_ref_make(area, binary, bytes, 0));
    return sub_bits_make(area, origin, (Word)((const uint8_t *)data - binary->bytes) * 8, (Word)bytes * 8);
}

bool bits_are_elsewhere(Term origin) {
    const BinRef *ref = (const BinRef *)boxed_ptr(origin);
    return header_kind(ref->header) == KIND_BIN_REF && (ref->binary->flags & BYTES_ARE_ELSEWHERE) != 0;
}

/* A writable origin is never shown itself: its size changes. */
static bool is_whole(Term origin, Word offset, Word size) {
    if (offset != 0 || size != bits_size(origin))
        return false;
    return is_boxed_kind(origin, KIND_HEAP_BITS) || ((BinRef *)boxed_ptr(origin))->flags == small_make(0);
}

Term bits_sub_origin(Area *area, Term origin, Word offset, Word size) {
    if (is_whole(origin, offset, size))
        return origin;
    if (size % 8 != 0 || size > HEAP_BITS_MAX_BYTES * 8)
        return sub_bits_make(area, origin, offset, size);
    uint8_t *data;
    Term t = heap_bits_make(area, size, &data);
    bits_copy(data, 0, bits_origin_bytes(origin), offset, size);
    return t;
}

Term bits_sub(Area *area, Term t, Word offset, Word size) {
    if (size == bits_size(t))
        return t;
    if (is_boxed_kind(t, KIND_SUB_BITS)) {
        const SubBits *sub = (const SubBits *)boxed_ptr(t);
        return bits_sub_origin(area, sub->origin, offset + (Word)small_value(sub->offset), size);
    }
    return bits_sub_origin(area, t, offset, size);
}

Term match_context_make(Area *area, Term t) { return match_context_at(area_alloc(area, MATCH_CONTEXT_WORDS), t); }

Term match_context_rest(Area *area, Term context) {
    const MatchContext *c = (const MatchContext *)boxed_ptr(context);
    return bits_sub_origin(area, c->origin, (Word)small_value(c->offset), (Word)small_value(c->end - c->offset));
}

void match_context_view(const MatchContext *context, Word size, BitsView *view) {
    Word offset = (Word)small_value(context->offset);
    *view = (BitsView){bits_origin_bytes(context->origin) + offset / 8, offset % 8, size};
}

static Word writable_flags(Word used_bits) { return BIN_WRITABLE | (-used_bits & 7) << BIN_SPARE_SHIFT; }

static void set_used(BinRef *ref, Word bits) {
    ref->size = small_make((SWord)((bits + 7) / 8));
    ref->flags = small_make((SWord)writable_flags(bits));
}

static Word used_bits(const BinRef *ref) {
    return (Word)small_value(ref->size) * 8 - ((Word)small_value(ref->flags) >> BIN_SPARE_SHIFT);
}

static size_t append_capacity(Word bits) {
    size_t bytes = (bits + 7) / 8;
    return bytes < APPEND_MIN_CAPACITY / 2 ? APPEND_MIN_CAPACITY : 2 * bytes;
}

/* A new writable binary of `capacity` bytes, `bits` of them used, seen through a window. */
static Term writable_make(Area *area, Word bits, size_t capacity, uint8_t **data) {
    RefcBinary *binary = refc_binary_create(capacity);
    *data = binary->bytes;
    BinRef *ref = bin_ref_make(area, binary, 0, 0);
    set_used(ref, bits);
    return sub_bits_make(area, boxed_make(ref), 0, bits);
}

Term bits_init_writable(Area *area, size_t bytes) {
    uint8_t *data;
    return writable_make(area, 0, bytes, &data);
}

/* Grows the writable binary that `sub` ends; false when it may not be. */
static bool grow_in_place(Area *area, const SubBits *sub, Word extra) {
    if (!is_boxed_kind(sub->origin, KIND_BIN_REF))
        return false;
    BinRef *ref = (BinRef *)boxed_ptr(sub->origin);
    Word end = (Word)small_value(sub->offset + sub->size);
    if (((Word)small_value(ref->flags) & BIN_WRITABLE) == 0 || end != used_bits(ref))
        return false;
    size_t capacity = ref->binary->size;
    if ((end + extra + 7) / 8 > capacity) {
        if (!refc_binary_is_sole(ref->binary))
            return false;
        ref->binary = refc_binary_resize(ref->binary, append_capacity(end + extra));
        area->off_heap_bytes += ref->binary->size - capacity;
    }
    set_used(ref, end + extra);
    return true;
}

static inline Term append(Area *area, Term bin, Word extra, bool private, uint8_t **data, Word *bit_offset) {
    if (likely(is_boxed_kind(bin, KIND_SUB_BITS))) {
        SubBits *sub = (SubBits *)boxed_ptr(bin);
        if (likely(grow_in_place(area, sub, extra))) {
            Word end = (Word)small_value(sub->offset + sub->size);
            *data = bits_origin_bytes(sub->origin) + end / 8;
            *bit_offset = end % 8;
            if (private) {
                sub->size += small_make((SWord)extra);
                return bin;
            }
            return sub_bits_make(area, sub->origin, (Word)small_value(sub->offset),
                                 (Word)small_value(sub->size) + extra);
        }
    }
    BitsView view;
    bits_view(bin, &view);
    uint8_t *bytes;
    Term t = writable_make(area, view.bit_size + extra, append_capacity(view.bit_size + extra), &bytes);
    bits_copy(bytes, 0, view.bytes, view.bit_offset, view.bit_size);
    *data = bytes + view.bit_size / 8;
    *bit_offset = view.bit_size % 8;
    return t;
}

Term bits_append(Area *area, Term bin, Word extra, uint8_t **data, Word *bit_offset) {
    return append(area, bin, extra, false, data, bit_offset);
}

Term bits_private_append(Area *area, Term bin, Word extra, uint8_t **data, Word *bit_offset) {
    return append(area, bin, extra, true, data, bit_offset);
}
