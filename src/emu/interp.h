/*
 * The machine in which the bodies of the tables (emu/ *.tab) run.
 *
 * An instruction is a function that ends by jumping to the next one's, so these six live in machine registers
 * throughout:
 *   p     the process              x     the x registers (EmuRegisters: float registers lie behind them)
 *   I     this instruction         E     the stack top: y0 is E[0]
 *   htop  the heap's top           reds  reductions left
 * The first four survive calls of C functions. A body that calls C which may build terms or look at the process writes
 * E, htop and reds back first (STORE) and fetches them afterwards (RELOAD). `p->ip` is right whenever C code runs
 * that may look at the stack.
 *
 * Room: between htop and E there are always STACK_RESERVE - 1 words (a call pushes one word without asking), and
 * STACK_RESERVE after every instruction that makes a frame. Guard functions build in what is left above that
 * (STORE_GUARD), or in fragments; what other C code used up is made good at once (emu_after_bif).
 */
#ifndef VIV_EMU_INTERP_H
#define VIV_EMU_INTERP_H

#include "base/copy_bytes.h"
#include "base/long_work.h"
#include "code/export.h"
#include "code/function_header.h"
#include "code/native_block.h"
#include "emu/bits.h"
#include "emu/call.h"
#include "emu/emu.h"
#include "emu/exception.h"
#include "emu/forms.h"
#include "emu/limbs.h"
#include "emu/maps.h"
#include "emu/source.h"
#include "emu/stop.h"
#include "emu/trace_call.h"
#include "process/bif.h"
#include "process/dictionary.h"
#include "process/receive.h"
#include "process/receive_marker.h"
#include "process/saved_calls.h"
#include "process/trace_point.h"
#include "term/arith.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/compare.h"
#include "term/map.h"

/* Who interrupts a thread sees by its place whether it is in one of them (process/sampling.h). Templates are copied. */
#ifdef VIV_TEMPLATE
#define ENGINE_SECTION
#else
#define ENGINE_SECTION __attribute__((section("viv_engine")))
#endif
#define HANDLER(name)                                                                                                  \
    __attribute__((preserve_none)) ENGINE_SECTION void name(Process *p, Term *x, const Word *I, Term *E, Term *htop,   \
                                                            int64_t reds)

#define FLOAT_REGISTERS_OFFSET offsetof(EmuRegisters, f)

/* A breakpoint may come and go there meanwhile (code/breakpoint.h). */
static inline uint32_t handler_word(const Word *I) { return __atomic_load_n((const uint32_t *)I, __ATOMIC_ACQUIRE); }
/* The low half of an instruction word is its handler's address, or in a position-independent program the distance. */
#ifdef VIV_SANITIZE
HANDLER(op_anchor);
static inline InsnHandler *handler_of(Word w) {
    return (InsnHandler *)((const char *)op_anchor + (SWord)(int32_t)(uint32_t)w);
}
#else
static inline InsnHandler *handler_of(Word w) { return (InsnHandler *)(uintptr_t)(uint32_t)w; }
#endif

#define JUMP_IN(handler, address)                                                                                      \
    do {                                                                                                               \
        __attribute__((musttail)) return handler(p, x, address, E, htop, reds);                                        \
    } while (0)
/* Every instruction leaves room between heap and stack: the reserve, less a return address that was pushed since. */
#define DISPATCH_AT(address)                                                                                           \
    do {                                                                                                               \
        assume(htop + STACK_RESERVE - 1 <= E);                                                                         \
        JUMP_IN(handler_of(handler_word(address)), address);                                                           \
    } while (0)

/* What differs between the two engines. */
#ifdef VIV_TEMPLATE
#include "emu/template.h"
#else
#define GO_ON_IN(handler) JUMP_IN(handler, I)
#define DISPATCH DISPATCH_AT(I)
#define NEXT                                                                                                           \
    do {                                                                                                               \
        I += LEN;                                                                                                      \
        DISPATCH;                                                                                                      \
    } while (0)
#define NEXT_AFTER(words)                                                                                              \
    do {                                                                                                               \
        I += LEN + (words);                                                                                            \
        DISPATCH;                                                                                                      \
    } while (0)
#define PUSH_RETURN(address) (*--E = return_address_make(address))
#define RETURN RETURN_TO(return_address_ip(*E++))
#define TAKE_REDUCTION (--reds <= 0)
#endif

#define LIST (I + LEN)
#define JUMP_TO(address)                                                                                               \
    do {                                                                                                               \
        const Word *to_ = (address);                                                                                   \
        DISPATCH_AT(to_);                                                                                              \
    } while (0)
#define JUMP_BY(bytes) JUMP_TO((const Word *)((const char *)I + (bytes)))
/* Enters a function: the place where reductions are counted and slices end. */
#define ENTER(address)                                                                                                 \
    do {                                                                                                               \
        const Word *to_ = (address);                                                                                   \
        if (unlikely(TAKE_REDUCTION))                                                                                  \
            JUMP_IN(emu_yield, to_);                                                                                   \
        DISPATCH_AT(to_);                                                                                              \
    } while (0)
/* The same through an export entry. */
#define ENTER_EXPORT(e)                                                                                                \
    do {                                                                                                               \
        const Export *export_ = (e); /* may name operands of I */                                                      \
        const Word *to_ = export_address(export_);                                                                     \
        if (unlikely(TAKE_REDUCTION)) {                                                                                \
            p->entered = export_;                                                                                      \
            JUMP_IN(emu_yield_export, to_);                                                                            \
        }                                                                                                              \
        DISPATCH_AT(to_);                                                                                              \
    } while (0)
/* Something that a process records which saves calls: its reductions never stand above 1. */
#define RECORD(call)                                                                                                   \
    do {                                                                                                               \
        if (unlikely(reds <= 1) && p->saved_calls != NULL)                                                             \
            call;                                                                                                      \
    } while (0)
/* Goes back to the caller, whose address E leads to (RETURN): the other place where reductions are counted. */
#define RETURN_TO(address)                                                                                             \
    do {                                                                                                               \
        const Word *to_ = (address);                                                                                   \
        if (unlikely(TAKE_REDUCTION))                                                                                  \
            JUMP_IN(emu_yield_return, to_);                                                                            \
        DISPATCH_AT(to_);                                                                                              \
    } while (0)
/* After a C function that returns where to go on, NULL to leave the engine. */
#define GO_ON_AT(address)                                                                                              \
    do {                                                                                                               \
        const Word *to_ = (address);                                                                                   \
        RELOAD;                                                                                                        \
        if (unlikely(to_ == NULL))                                                                                     \
            return;                                                                                                    \
        DISPATCH_AT(to_);                                                                                              \
    } while (0)

#define STORE (p->heap.area.top = htop, p->heap.area.limit = E, p->reductions = reds, p->ip = I)
#define RELOAD (htop = p->heap.area.top, E = p->heap.area.limit, reds = p->reductions)
/* For guard functions: they leave the reserve alone. E stays as it is. */
#define STORE_GUARD                                                                                                    \
    (p->heap.area.top = htop, p->heap.area.limit = E - STACK_RESERVE < htop ? htop : E - STACK_RESERVE,                \
     p->reductions = reds, p->ip = I)
#define RELOAD_GUARD (htop = p->heap.area.top, reds = p->reductions)

#define HAS_NO_ROOM(bytes) ((uintptr_t)htop + (uintptr_t)(bytes) + STACK_RESERVE * sizeof(Word) > (uintptr_t)E)
#ifdef VIV_TORTURE
#define NO_ROOM_BYTES(bytes) (HAS_NO_ROOM(bytes) || emu_torture(p))
#else
#define NO_ROOM_BYTES(bytes) HAS_NO_ROOM(bytes)
#endif
#define NO_ROOM(words) NO_ROOM_BYTES((words) * sizeof(Word))

/* Raises what p->fail says, with this instruction as the place. */
#define RAISE GO_ON_IN(emu_raise)
/* The same for a built-in function that stands in the instruction: it shows in the stack trace. */
#define RAISE_BIF GO_ON_IN(emu_raise_bif)
#define RAISE_REASON(reason)                                                                                           \
    do {                                                                                                               \
        fail_with(p, reason);                                                                                          \
        RAISE;                                                                                                         \
    } while (0)
#define RAISE_VALUE(reason, term)                                                                                      \
    do {                                                                                                               \
        fail_value(p, reason, term);                                                                                   \
        RAISE;                                                                                                         \
    } while (0)

/* Collects, so that `need` words are free. The process may have to end instead (max_heap_size). */
#define COLLECT(need, live)                                                                                            \
    do {                                                                                                               \
        STORE;                                                                                                         \
        if (unlikely(!emu_collect(p, x, need, live)))                                                                  \
            GO_ON_AT(exception_raise(p, x, I, NULL, NULL));                                                            \
        RELOAD;                                                                                                        \
    } while (0)
/* Calls a traced built-in function through its export entry, where what tells of it stands. A function without a frame
 * has left no word for where that returns to. */
#define CALL_TRACED(e)                                                                                                 \
    do {                                                                                                               \
        if (unlikely(E - htop < STACK_RESERVE))                                                                        \
            COLLECT(0, (e)->arity);                                                                                    \
        PUSH_RETURN(I + LEN);                                                                                          \
        ENTER(export_address(e));                                                                                      \
    } while (0)

/* Calls the built-in function of an export entry, which may build, trap and fail; its value is in x0 then. */
#define CALL_LIGHT(export, function)                                                                                   \
    do {                                                                                                               \
        const Export *export_ = (const Export *)(export);                                                              \
        if (unlikely(export_is_traced(export_, 0)))                                                                    \
            CALL_TRACED(export_);                                                                                      \
        p->current_bif = export_;                                                                                      \
        RECORD(saved_calls_add(p, p->current_bif));                                                                    \
        STORE;                                                                                                         \
        Term result_ = ((BifFunction *)(function))(p, x);                                                              \
        emu_check_left(p, result_);                                                                                    \
        if (unlikely(result_ == NON_VALUE || emu_bif_left_mess(p)))                                                    \
            GO_ON_AT(emu_after_bif(p, x, result_, I + LEN));                                                           \
        RELOAD;                                                                                                        \
        x[0] = result_;                                                                                                \
    } while (0)

/* May the instruction `setelement` do it here? Nobody watches the function, and the tuple has few elements, `behind` of
 * them behind the one at `at`. With one reduction left it may be that the process records calls. */
#define SETS_ELEMENT(export, at, behind)                                                                               \
    (reds > 1 && !export_is_traced((const Export *)(export), 0) && is_boxed(x[1]) &&                                   \
     ((behind) = tuple_elements_behind(boxed_header(x[1]), at)) < SETELEMENT_MOST)

/* There is room for a copy of the tuple. */
#define SET_ELEMENT(from, at, arity)                                                                                   \
    do {                                                                                                               \
        copy_few_words(htop, from, 1 + (arity));                                                                       \
        htop[at] = x[2];                                                                                               \
        x[0] = boxed_make(htop);                                                                                       \
        htop += 1 + (arity);                                                                                           \
        reds--;                                                                                                        \
    } while (0)

/* Are two terms that are different words `equal`, or `identical`? If that took long (base/long_work.h), the slice ends
 * at the next call. What the slice was cut by stays (process/sampling.h): it may have been a call before this that
 * worked long. */
#define IS_SAME(result, how, a, b)                                                                                     \
    do {                                                                                                               \
        unsigned seen_ = term_##how##_words(a, b, true);                                                               \
        result = seen_ & TERM_SAME;                                                                                    \
        if (unlikely(seen_ & TERM_WORKED_LONG) && long_work_is_exceeded() && reds > 1)                                 \
            reds = 1;                                                                                                  \
    } while (0)

/* To compare keys that are no words may take long, too: then fewer reductions are left. */
#define MAY_TAKE_LONG(result, call) (p->reductions = reds, result = call, reds = p->reductions)
#define MAP_GET(result, map, key)                                                                                      \
    do {                                                                                                               \
        Term sought_ = key;                                                                                            \
        if (likely(is_flat_map(map) && map_key_is_plain(sought_)))                                                     \
            result = map_get_plain(map, sought_);                                                                      \
        else                                                                                                           \
            MAY_TAKE_LONG(result, map_get(map, sought_));                                                              \
    } while (0)

/* A guard function built `result` and there are fragments. */
#define SETTLE(result, live)                                                                                           \
    do {                                                                                                               \
        STORE;                                                                                                         \
        result = emu_settle(p, x, result, live);                                                                       \
        RELOAD;                                                                                                        \
        if (unlikely(result == NON_VALUE))                                                                             \
            RAISE;                                                                                                     \
    } while (0)

/* Room where the heap goes on; `map`, which may stand in no register that is live, is where it lies then. */
#define MAP_ROOM(map, bytes, live)                                                                                     \
    do {                                                                                                               \
        if (unlikely(NO_ROOM_BYTES(bytes))) {                                                                          \
            x[live] = map;                                                                                             \
            COLLECT((bytes) / sizeof(Word), (live) + 1);                                                               \
            map = x[live];                                                                                             \
        }                                                                                                              \
    } while (0)
/* New values for keys that `map`, if it is small, has already: made where the heap goes on. Else nothing is done. */
#define REPLACE_VALUES(map, destination, live, words)                                                                  \
    do {                                                                                                               \
        if (unlikely(!is_flat_map(map)))                                                                               \
            break;                                                                                                     \
        size_t bytes_ = emu_replace_bytes(map);                                                                        \
        MAP_ROOM(map, bytes_, live);                                                                                   \
        Term replaced_ = emu_replace(htop, x, E, map, LIST, words);                                                    \
        if (unlikely(!is_value(replaced_)))                                                                            \
            break;                                                                                                     \
        htop += replaced_ == map ? 0 : bytes_ / sizeof(Word);                                                          \
        destination = replaced_;                                                                                       \
        NEXT_AFTER(words);                                                                                             \
    } while (0)
/* One pair, its key there or not, into a map that stays small: made where the heap goes on. Else nothing happens. */
#define PUT_PAIR(map, destination, live)                                                                               \
    do {                                                                                                               \
        if (unlikely(!is_flat_map(map)) || flat_map_size(map) >= MAP_FLAT_MAX)                                         \
            break;                                                                                                     \
        size_t bytes_ = flat_map_put_words(map) * sizeof(Word);                                                        \
        MAP_ROOM(map, bytes_, live);                                                                                   \
        Term *to_ = htop, put_;                                                                                        \
        MAY_TAKE_LONG(put_, flat_map_put(&to_, map, source_value(x, E, LIST[0]), source_value(x, E, LIST[1])));        \
        htop = to_;                                                                                                    \
        destination = put_;                                                                                            \
        NEXT_AFTER(2);                                                                                                 \
    } while (0)

/* The name to show of operators that have no frame before OTP 26. */
#define FRAME_OF_ALL(name) (release_has(RELEASE_OPERATOR_FRAMES) ? (name) : NON_VALUE)
/* An operator out of the fast path; `name` is NON_VALUE for those that do not show in stack traces. */
#define ARITH_SLOW(call, name, arity, a, b, has_label, fail, live)                                                     \
    ArithFail why;                                                                                                     \
    STORE_GUARD;                                                                                                       \
    long_work_open();                                                                                                  \
    Term result = call;                                                                                                \
    long_work_close();                                                                                                 \
    RELOAD_GUARD;                                                                                                      \
    if (unlikely(result == NON_VALUE)) {                                                                               \
        if (has_label)                                                                                                 \
            fail;                                                                                                      \
        emu_operator_failed(p, why, name, arity, a, b);                                                                \
        if ((name) == NON_VALUE)                                                                                       \
            RAISE;                                                                                                     \
        RAISE_BIF;                                                                                                     \
    }                                                                                                                  \
    if (unlikely(p->heap.fragment_words != 0))                                                                         \
    SETTLE(result, live)

/* An operation on integers of one limb, u and v, which `fits` finds, if there is room for what becomes of it. */
#define LIMBS(fits, value, out)                                                                                        \
    do {                                                                                                               \
        uint64_t u, v;                                                                                                 \
        if (likely(!HAS_NO_ROOM(LIMBS_WORDS * sizeof(Word))) && (fits)) {                                              \
            out = limbs_at(&htop, value);                                                                              \
            NEXT;                                                                                                      \
        }                                                                                                              \
    } while (0)
/* `expression` builds, and may give NON_VALUE. */
#define BUILD(result, expression, live)                                                                                \
    do {                                                                                                               \
        STORE_GUARD;                                                                                                   \
        result = (expression);                                                                                         \
        RELOAD_GUARD;                                                                                                  \
        if (unlikely(p->heap.fragment_words != 0) && result != NON_VALUE)                                              \
            SETTLE(result, live);                                                                                      \
    } while (0)

/* The window that bits have been put behind, as the first segment of the list says: moved on, or another one. */
static inline Term emu_longer_bits(Term **htop, Term bin, const Word *list, Word bits) {
    if ((list[0] & 0xff) == SEGMENT_PRIVATE_APPEND) {
        ((SubBits *)boxed_ptr(bin))->size += small_make((SWord)bits);
        return bin;
    }
    SubBits *longer = (SubBits *)*htop;
    *longer = *(const SubBits *)boxed_ptr(bin);
    longer->size += small_make((SWord)bits);
    *htop += SUB_BITS_WORDS;
    return boxed_make(longer);
}

/* A float register as a term; the room for a boxed one is there. */
static inline Term emu_float_at(Term **htop, double d) {
    Term t = float_try_self(d);
    if (unlikely(!is_self_float(t))) {
        Term *box = *htop;
        box[0] = header_make(KIND_FLOAT, 1);
        box[1] = float_bits(d);
        t = boxed_make(box);
        *htop = box + FLOAT_WORDS;
    }
    return t;
}
/* What a fun has closed over, behind its arguments: little, if anything, so one by one. */
static inline void fetch_environment(Term *to, const Fun *fun) {
    copy_few_words(to, fun->env, header_arity(fun->header) + 1 - FUN_WORDS);
}
/* Calls of a fun that is none of a module, none at all, of another arity, or whose code is gone. */
#define CALL_FUN_SLOWLY(fun, arity)                                                                                    \
    do {                                                                                                               \
        const Export *e_ = fun_export(fun, arity);                                                                     \
        if (likely(e_ != NULL)) {                                                                                      \
            PUSH_RETURN(I + LEN);                                                                                      \
            ENTER_EXPORT(e_);                                                                                          \
        }                                                                                                              \
        STORE;                                                                                                         \
        GO_ON_AT(emu_call_fun(p, x, fun, arity, I + LEN));                                                             \
    } while (0)
#define CALL_LAST_FUN_SLOWLY(fun, arity, drop)                                                                         \
    do {                                                                                                               \
        Term t_ = (fun);                                                                                               \
        const Export *e_ = fun_export(t_, arity);                                                                      \
        if (likely(e_ != NULL)) {                                                                                      \
            E += (drop);                                                                                               \
            ENTER_EXPORT(e_);                                                                                          \
        }                                                                                                              \
        STORE;                                                                                                         \
        GO_ON_AT(emu_call_fun_last(p, x, t_, arity, drop));                                                            \
    } while (0)
/* Is the term the same as a constant, mostly a number? Boxed numbers are when their words are. */
static inline bool is_constant_number(Term constant, Term t) {
    if (!is_number(constant) || !is_boxed(constant) || !is_boxed(t))
        return term_identical(constant, t);
    const Word *a = boxed_ptr(constant), *b = boxed_ptr(t);
    Word words = 1 + header_arity(a[0]), i = 0;
    while (i < words && a[i] == b[i]) /* the headers first */
        i++;
    return i == words;
}
static inline int32_t list_displacement(Word w) { return (int32_t)w; }

/* Shared ends of instructions */
HANDLER(emu_yield); /* I is a function's entry */
HANDLER(emu_yield_export); /* the same, reached through p->entered */
HANDLER(emu_yield_return); /* I is a return address: x0 is alive */
/* Native code comes here, with the return address behind E: the slice is over; where that is interpreted. */
HANDLER(emu_enter); /* the function at I, by its word */
HANDLER(emu_by_word); /* any instruction at I */
HANDLER(emu_return_over);
HANDLER(emu_return_by_word);
HANDLER(emu_raise);
HANDLER(emu_raise_bif); /* the guard function p->current_bif failed; its arguments are in p->fail.trap_arguments */

HANDLER(emu_yield_nothing); /* no x register is alive */
extern const Export *emu_send_export; /* erlang:send/2, as which `!` shows in traces */

#ifdef VIV_TEMPLATE
#define I HOLE_HERE
#endif

#endif
