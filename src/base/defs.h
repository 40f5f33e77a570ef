/*
 * The words that every file uses: sizes, branch hints, and the one way to stop on a broken invariant.
 *
 * `panic` is for invariants of the runtime only, never for bad input: it prints what was broken and where, and aborts.
 */
#ifndef VIV_BASE_DEFS_H
#define VIV_BASE_DEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define noinline __attribute__((noinline))
#define force_inline static inline __attribute__((always_inline))
#define must_check __attribute__((warn_unused_result))
#define printf_like(fmt, first) __attribute__((format(printf, fmt, first)))
#define array_length(a) (sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))

typedef uint64_t Word;
typedef int64_t SWord;
#define WORD_BYTES 8
#define bytes_to_words(n) (((size_t)(n) + WORD_BYTES - 1) / WORD_BYTES)

#define CACHE_LINE 64

/* In a loop that waits for another thread: lets the other thread of the core have it. */
#if defined(__x86_64__)
#define cpu_pause() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define cpu_pause() __asm__ volatile("isb" ::: "memory")
#else
#define cpu_pause() ((void)0)
#endif

_Noreturn void panic_at(const char *file, int line, const char *format, ...) printf_like(3, 4);
#define panic(...) panic_at(__FILE__, __LINE__, __VA_ARGS__)

/* Checked in every build: use where a wrong answer would corrupt a heap. */
#define require(cond)                                                                                                  \
    do {                                                                                                               \
        if (unlikely(!(cond)))                                                                                         \
            panic("broken invariant: %s", #cond);                                                                      \
    } while (0)

/* Checked in debug, sanitizer and torture builds only. */
#ifdef VIV_DEBUG
#define assume(cond) require(cond)
#else
#define assume(cond) ((void)0)
#endif

#endif
