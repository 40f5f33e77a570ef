/* Module binary, without its searches (binary_match.c), and erlang:binary_part. Source: binary(3), erlang(3). */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif/loop_limit.h"
#include "bif_table.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"
#include "term/iolist.h"
#include "term/refc_binary.h"

#include <string.h>

#define BYTES_PER_REDUCTION 1024

static uint8_t byte_at(const BitsView *view, size_t i) {
    return view->bit_offset == 0 ? view->bytes[i] : (uint8_t)bits_get(view->bytes + i, view->bit_offset, 8);
}

/* A part (start, length), the length may be negative. In whole bytes of `bitstring`. False: it is not in there. */
static bool take_part(Term bitstring, Term start, Term length, Word *offset, Word *size) {
    if (!is_taken_for_binary(bitstring) || !are_small(start, length))
        return false;
    SWord at = small_value(start), count = small_value(length), bytes = (SWord)(bits_size(bitstring) / 8);
    if (at < 0 || at > bytes || count < -at || count > bytes - at)
        return false;
    *offset = 8 * (Word)(count < 0 ? at + count : at);
    *size = 8 * (Word)(count < 0 ? -count : count);
    return true;
}

static Term part(Process *p, Term bitstring, Term start, Term length) {
    Word offset, size;
    if (!take_part(bitstring, start, length, &offset, &size))
        return fail_badarg(p);
    return bits_sub(process_area(p), bitstring, offset, size);
}

static Term part_of_pair(Process *p, const Term *a) {
    if (!is_tuple_arity(a[1], 2))
        return fail_badarg(p);
    return part(p, a[0], tuple_elements(a[1])[0], tuple_elements(a[1])[1]);
}

Term erlang_binary_part_2(Process *p, const Term *a) { return part_of_pair(p, a); }
Term erlang_binary_part_3(Process *p, const Term *a) { return part(p, a[0], a[1], a[2]); }
Term binary_part_2(Process *p, const Term *a) { return part_of_pair(p, a); }
Term binary_part_3(Process *p, const Term *a) { return part(p, a[0], a[1], a[2]); }

static Term byte_term(Process *p, Term binary, SWord at) {
    if (!is_binary(binary) || at < 0 || at >= (SWord)(bits_size(binary) / 8))
        return fail_badarg(p);
    BitsView view;
    bits_view(binary, &view);
    return small_make(byte_at(&view, (size_t)at));
}

Term binary_at_2(Process *p, const Term *a) { return byte_term(p, a[0], is_small(a[1]) ? small_value(a[1]) : -1); }
Term binary_first_1(Process *p, const Term *a) { return byte_term(p, a[0], 0); }
Term binary_last_1(Process *p, const Term *a) {
    return byte_term(p, a[0], is_binary(a[0]) ? (SWord)(bits_size(a[0]) / 8) - 1 : -1);
}

Term binary_list_to_bin_1(Process *p, const Term *a) { return erlang_list_to_binary_1(p, a); }

/* A copy of its own, `count` times. */
static Term copy(Process *p, Term binary, Term count_term) {
    uint64_t count;
    if (!integer_to_uint64(count_term, &count) || !(count == 0 ? is_taken_for_binary(binary) : is_binary(binary)))
        return fail_badarg(p);
    size_t bytes = bits_size(binary) / 8, total;
    if (__builtin_mul_overflow(bytes, count, &total) || total > SMALL_MAX / 8)
        return fail_system_limit(p);
    uint8_t *data;
    Term result = binary_make(process_area(p), total, &data);
    process_bump(p, (int64_t)(total / BYTES_PER_REDUCTION));
    if (total == 0)
        return result;
    BitsView view;
    bits_view(binary, &view);
    bits_copy(data, 0, view.bytes, view.bit_offset, 8 * bytes);
    for (size_t done = bytes; done < total;) {
        size_t more = done < total - done ? done : total - done;
        memcpy(data + done, data, more);
        done += more;
    }
    return result;
}

Term binary_copy_1(Process *p, const Term *a) { return copy(p, a[0], small_make(1)); }
Term binary_copy_2(Process *p, const Term *a) { return copy(p, a[0], a[1]); }

static Term decode_unsigned(Process *p, Term binary, bool little) {
    if (!is_binary(binary))
        return fail_badarg(p);
    size_t count;
    uint8_t *copied;
    const uint8_t *bytes = binary_bytes(binary, &count, &copied);
    Term result = integer_from_bytes(process_area(p), bytes, count, little, false);
    mem_free(ALLOC_TEMP, copied);
    return is_value(result) ? result : fail_system_limit(p);
}

static Term encode_unsigned(Process *p, Term integer, bool little) {
    if (!is_integer(integer) || integer_is_negative(integer))
        return fail_badarg(p);
    size_t count = (integer_bit_length(integer) + 7) / 8;
    uint8_t *data;
    Term result = binary_make(process_area(p), count == 0 ? 1 : count, &data);
    data[0] = 0;
    integer_magnitude_bytes(integer, data, count);
    for (size_t i = 0; !little && i < count / 2; i++) {
        uint8_t byte = data[i];
        data[i] = data[count - 1 - i];
        data[count - 1 - i] = byte;
    }
    return result;
}

static bool is_endian(Term t) { return t == am_big || t == am_little; }

Term binary_decode_unsigned_1(Process *p, const Term *a) { return decode_unsigned(p, a[0], false); }
Term binary_decode_unsigned_2(Process *p, const Term *a) {
    return is_endian(a[1]) ? decode_unsigned(p, a[0], a[1] == am_little) : fail_badarg(p);
}
Term binary_encode_unsigned_1(Process *p, const Term *a) { return encode_unsigned(p, a[0], false); }
Term binary_encode_unsigned_2(Process *p, const Term *a) {
    return is_endian(a[1]) ? encode_unsigned(p, a[0], a[1] == am_little) : fail_badarg(p);
}

#define UNITS_PER_BYTE 3 /* of long work */

/* How many bytes at the start (or end) all binaries of a list have in common; -1: no such list. */
static int64_t common_bytes(Process *p, Term list, bool from_end) {
    LONG_WORK_OPEN;
    loop_begin(LOOP_BINARY);
    if (!is_list(list) || !is_binary(list_head(list)))
        return -1;
    BitsView first, other;
    bits_view(list_head(list), &first);
    size_t common = first.bit_size / 8;
    for (list = list_tail(list); is_list(list); list = list_tail(list)) {
        if (!is_binary(list_head(list)))
            return -1;
        bits_view(list_head(list), &other);
        size_t count = other.bit_size / 8, i = 0, limit = count < common ? count : common;
        size_t first_end = first.bit_size / 8 - 1, other_end = count - 1;
        unsigned left = LONG_WORK_ROUND;
        while (i < limit &&
               byte_at(&first, from_end ? first_end - i : i) == byte_at(&other, from_end ? other_end - i : i)) {
            i++;
            left = long_work_step(left, UNITS_PER_BYTE);
        }
        common = i;
        process_bump(p, (int64_t)(common / BYTES_PER_REDUCTION));
    }
    return is_nil(list) ? (int64_t)common : -1;
}

static Term longest_common(Process *p, Term list, bool from_end) {
    int64_t common = common_bytes(p, list, from_end);
    return common < 0 ? fail_badarg(p) : small_make(common);
}

Term binary_longest_common_prefix_1(Process *p, const Term *a) { return longest_common(p, a[0], false); }
Term binary_longest_common_suffix_1(Process *p, const Term *a) { return longest_common(p, a[0], true); }

/* Bytes of what a binary keeps alive. */
Term binary_referenced_byte_size_1(Process *p, const Term *a) {
    if (!is_bitstring(a[0]))
        return fail_badarg(p);
    Term origin = is_boxed_kind(a[0], KIND_SUB_BITS) ? ((SubBits *)boxed_ptr(a[0]))->origin : a[0];
    if (release_has(RELEASE_SIZES_IN_BITS) && bits_size(a[0]) <= 8 * HEAP_BITS_MAX_BYTES)
        return small_make((SWord)bits_size(a[0]));
    if (is_boxed_kind(origin, KIND_BIN_REF))
        return small_make((SWord)((BinRef *)boxed_ptr(origin))->binary->size);
    return small_make((SWord)(bits_size(origin) + 7) / 8);
}
