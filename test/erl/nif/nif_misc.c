/* The rest: printing, time, the system, variables of the environment, unique integers, memory, other libraries. */
#include "nif_test.h"

#include <stddef.h>
#include <stdint.h>

static int through_va_list(char *to, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int count = enif_vsnprintf(to, size, format, list);
    va_end(list);
    return count;
}
static int to_file(FILE *file, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int count = enif_vfprintf(file, format, list);
    va_end(list);
    return count;
}

/* %T into a buffer of the given size: the count, and the buffer up to its zero. */
NIF(print) {
    char text[2000];
    int size = int_of(env, argv[1]);
    memset(text, '#', sizeof text);
    text[sizeof text - 1] = 0;
    int count = enif_snprintf(text, (size_t)size, "[%T]", argv[0]);
    return enif_make_tuple2(env, enif_make_int(env, count), binary(env, text, strlen(text) > 300 ? 300 : strlen(text)));
}
NIF(print_va_list) {
    char text[2000];
    int count = through_va_list(text, sizeof text, "%d:%T:%s:%T", 7, argv[0], "mid", argv[0]);
    return enif_make_tuple2(env, enif_make_int(env, count), binary(env, text, strlen(text)));
}

#define LINE(...)                                                                                                      \
    do {                                                                                                               \
        char text_[400];                                                                                               \
        int count_ = enif_snprintf(text_, sizeof text_, __VA_ARGS__);                                                  \
        list = enif_make_list_cell(                                                                                    \
            env, enif_make_tuple2(env, enif_make_int(env, count_), binary(env, text_, strlen(text_))), list);          \
    } while (0)
#pragma GCC diagnostic ignored "-Wformat"
NIF(formats) {
    ERL_NIF_TERM list = enif_make_list(env, 0), a = argv[0];
    LINE("plain");
    LINE("%%|%c|%5c|%-5c|", 'x', 'y', 'z');
    LINE("%d|%i|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d", 1, -2, 3, 4, 5, 6, 7, 8, 9);
    LINE("%hd|%hhd|%ld|%lld|%zd|%td", (short)-1, (signed char)-2, -3L, -4LL, (ssize_t)-5, (ptrdiff_t)-6);
    LINE("%u|%hu|%hhu|%lu|%llu|%zu", 1u, (unsigned short)65535, (unsigned char)255, 1ul << 63, ~0ull, (size_t)9);
    LINE("%o|%x|%X|%#o|%#x|%08x|%lx", 8, 255, 255, 8, 255, 48879, 1ul << 40);
    LINE("%s|%10s|%-10s|%.2s|%10.1s|", "text", "text", "text", "text", "text");
    LINE("%*d|%-*d|%.*s|%*.*s|", 5, 1, 5, 2, 2, "abc", 6, 2, "abc");
    LINE("%f|%.2f|%10.3f|%-10.1f|%e|%.3E|%g|%G", 1.5, 2.25, 3.125, 4.5, 12345.678, 0.00012, 0.0001, 1e20);
    LINE("%p", (void *)0x1234);
    LINE("%T", a);
    LINE("%T and %d and %T", a, 5, a);
    LINE("%-20T|", a);
    LINE("%s", "");
    LINE("%.0f|%5.0f|%05.1f", 2.5, 3.5, 4.25);
    LINE("%g|%g|%.3g|%G|%g|%010.1f|", 1e6, 99999.5, 1234.5, 0.0, 0.00001, 2.5);
    LINE("%y|%5%|%03c|%#o|%#x|%.0d|%ls|%-*d|%*d|%.*d", 'c', 0, 0, 0, "wide", -5, 1, -5, 2, -1, 3);
    LINE("%+x|% u|%5.3d|%-6.3d|%06.3d|%+.3d|%hx|%hhx", 1, 2, 3, 4, 5, 6, -1, -1);
    LINE("%f|%f|abc%", 1e308 * 10, -1e308 * 10);
    LINE("%hT|%lT|%.100T", a, a, a);
    LINE("%jd|%ju", (intmax_t)-7, (uintmax_t)8);
    LINE("%ld%%", 100L);
    enif_make_reverse_list(env, list, &list);
    return list;
}

/* Through a file: what is written is read again. */
NIF(files) {
    char text[500];
    FILE *file = tmpfile();
    int first = enif_fprintf(file, "one %T two %d\n", argv[0], 2);
    int second = to_file(file, "three %T four %s\n", argv[0], "4");
    rewind(file);
    size_t count = fread(text, 1, sizeof text, file);
    fclose(file);
    return enif_make_tuple3(env, boolean(env, first > 0), boolean(env, (size_t)(first + second) == count),
                            binary(env, text, count));
}

NIF(convert) {
    ErlNifTime time;
    enif_get_int64(env, argv[0], &time);
    ErlNifTime result = enif_convert_time_unit(time, int_of(env, argv[1]), int_of(env, argv[2]));
    return result == ERL_NIF_TIME_ERROR ? atom(env, "time_error") : enif_make_int64(env, result);
}
NIF(monotonic) {
    ErlNifTime time = enif_monotonic_time(int_of(env, argv[0]));
    return time == ERL_NIF_TIME_ERROR ? atom(env, "time_error") : enif_make_int64(env, time);
}
NIF(offset) {
    ErlNifTime time = enif_time_offset(int_of(env, argv[0]));
    return time == ERL_NIF_TIME_ERROR ? atom(env, "time_error") : enif_make_int64(env, time);
}
static void *asks_time(void *data) {
    ErlNifTime *times = data;
    times[0] = enif_monotonic_time(ERL_NIF_NSEC);
    times[1] = enif_time_offset(ERL_NIF_NSEC);
    return NULL;
}
/* Threads of the library have no time. */
NIF(time_of_thread) {
    ErlNifTime times[2];
    ErlNifTid thread;
    enif_thread_create("time", &thread, asks_time, times, NULL);
    enif_thread_join(thread, NULL);
    return enif_make_tuple2(env, boolean(env, times[0] == ERL_NIF_TIME_ERROR),
                            boolean(env, times[1] == ERL_NIF_TIME_ERROR));
}
NIF(now) { return enif_now_time(env); }
NIF(cpu) { return enif_cpu_time(env); }
NIF(unique) { return enif_make_unique_integer(env, int_of(env, argv[0])); }

/* Sizes above and below that of the structure: no more is written than the size says. */
NIF(system_) {
    ErlNifSysInfo info;
    memset(&info, 0x5a, sizeof info);
    enif_system_info(&info, (size_t)sizeof info);
    ERL_NIF_TERM full = enif_make_list9(
        env, string(env, info.erts_version), string(env, info.otp_release), enif_make_int(env, info.thread_support),
        enif_make_int(env, info.smp_support), enif_make_int(env, info.async_threads),
        enif_make_int(env, info.scheduler_threads), enif_make_int(env, info.nif_major_version),
        enif_make_int(env, info.nif_minor_version), enif_make_int(env, info.dirty_scheduler_support));
    int driver = info.driver_major_version * 1000 + info.driver_minor_version;
    memset(&info, 0x5a, sizeof info);
    enif_system_info(&info, offsetof(ErlNifSysInfo, nif_major_version));
    return enif_make_tuple3(env, full, enif_make_int(env, driver), boolean(env, info.nif_major_version == 0x5a5a5a5a));
}

/* The variable's value into room for `size` bytes: status, the size after the call, the bytes. */
NIF(variable) {
    char name[100], value[100];
    size_t size = (size_t)int_of(env, argv[1]);
    memset(value, '#', sizeof value);
    enif_get_string(env, argv[0], name, sizeof name, ERL_NIF_LATIN1);
    int status = enif_getenv(name, value, &size);
    return enif_make_tuple3(env, enif_make_int(env, status), enif_make_uint64(env, size),
                            binary(env, value, status ? 1 : size + 1));
}

NIF(memory) {
    unsigned char *block = enif_alloc(100);
    int good = block != NULL;
    memset(block, 7, 100);
    block = enif_realloc(block, 100000);
    for (int i = 0; i < 100; i++)
        good &= block[i] == 7;
    memset(block, 8, 100000);
    block = enif_realloc(block, 10);
    for (int i = 0; i < 10; i++)
        good &= block[i] == 8;
    enif_free(block);
    enif_free(NULL);
    void *fresh = enif_realloc(NULL, 10);
    good &= fresh != NULL;
    enif_free(fresh);
    for (int i = 1; i < 2000; i++) {
        void *small = enif_alloc((size_t)i);
        memset(small, i, (size_t)i);
        good &= ((size_t)small & 7) == 0;
        enif_free(small);
    }
    return boolean(env, good);
}

static void complains(void *to, const char *text) { snprintf(to, 50, "%s", text ? "said" : "nothing"); }
/* The library is opened from itself; there is no other, and no such symbol. */
NIF(libraries) {
    char path[500], said[3][50] = {"-", "-", "-"};
    enif_get_string(env, argv[0], path, sizeof path, ERL_NIF_LATIN1);
    void *library = enif_dlopen(path, complains, said[0]);
    void *symbol = library ? enif_dlsym(library, "nif_init", complains, said[0]) : NULL;
    void *no_symbol = library ? enif_dlsym(library, "no_such_symbol", complains, said[1]) : NULL;
    void *no_library = enif_dlopen("/nowhere/nothing.so", complains, said[2]);
    return enif_make_list7(env, boolean(env, library != NULL), boolean(env, symbol != NULL),
                           boolean(env, no_symbol == NULL), boolean(env, no_library == NULL), string(env, said[0]),
                           string(env, said[1]), string(env, said[2]));
}

static ErlNifFunc functions[] = {
    {"print", 2, print, 0},
    {"print_va_list", 1, print_va_list, 0},
    {"formats", 1, formats, 0},
    {"files", 1, files, 0},
    {"convert", 3, convert, 0},
    {"monotonic", 1, monotonic, 0},
    {"offset", 1, offset, 0},
    {"time_of_thread", 0, time_of_thread, 0},
    {"now", 0, now, 0},
    {"cpu", 0, cpu, 0},
    {"unique", 1, unique, 0},
    {"system", 0, system_, 0},
    {"variable", 2, variable, 0},
    {"memory", 0, memory, 0},
    {"libraries", 1, libraries, 0},
};
ERL_NIF_INIT(nif_misc, functions, NULL, NULL, NULL, NULL)
