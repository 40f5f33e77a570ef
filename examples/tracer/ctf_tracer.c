/*
 * A tracer that writes a trace of the Common Trace Format 1.8 (diamon.org/ctf), for babeltrace2 and what else reads it:
 * erl_tracer(3). Nothing is sent, and nobody waits for a process.
 *
 *   gcc -shared -fPIC -Iinclude -o /tmp/ctf_tracer.so examples/tracer/ctf_tracer.c
 *   NIF_LIBRARIES=/tmp bin/viv run examples/tracer/ctf_tracer.erl /tmp/example.ctf && babeltrace2 /tmp/example.ctf
 *
 * The tracer's state is a resource, the folder that is written. The callbacks run on the threads of the traced
 * processes, several at a time. So there are several streams: a thread has the one of its number, with a lock that it
 * shares only when there are more threads than streams. The time is read under that lock: so it never goes back within
 * a stream, which is all that the format asks for. A stream is a file of packets, each written when it is full.
 */
#include <erl_nif.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STREAMS 32
#define PACKET 65536 /* bytes */
#define TEXT 2000    /* bytes of a term that are written at most */
#define MAGIC 0xC1FC1FC1u

/* What is told, with the number of its class of events; a term and what belongs to it (docs: erl_tracer, trace/5). */
static const char *const kinds[] = {"call",
                                    "return_from",
                                    "return_to",
                                    "exception_from",
                                    "send",
                                    "send_to_non_existing_process",
                                    "receive",
                                    "spawn",
                                    "spawned",
                                    "exit",
                                    "link",
                                    "unlink",
                                    "getting_linked",
                                    "getting_unlinked",
                                    "register",
                                    "unregister",
                                    "in",
                                    "out",
                                    "in_exiting",
                                    "out_exiting",
                                    "out_exited",
                                    "open",
                                    "closed",
                                    "gc_minor_start",
                                    "gc_minor_end",
                                    "gc_major_start",
                                    "gc_major_end"};
#define KINDS (sizeof kinds / sizeof *kinds)
static ERL_NIF_TERM kind_atoms[KINDS];
static ERL_NIF_TERM atom_trace_status, atom_trace, atom_discard, atom_remove, atom_ok, atom_extra;

/* As the metadata describe it. All numbers are little-endian. */
typedef struct __attribute__((packed)) {
    uint32_t magic;
    uint8_t uuid[16];
    uint32_t stream_id;
    uint64_t time_begin, time_end, content_bits, packet_bits;
    uint32_t discarded; /* in this stream, until the end of this packet */
} PacketHead;
typedef struct __attribute__((packed)) {
    uint16_t kind;
    uint64_t time;
} EventHead;

typedef struct {
    ErlNifMutex *lock;
    int file; /* -1: none is open */
    size_t size;
    uint32_t discarded;
    union {
        PacketHead head;
        char bytes[PACKET];
    } packet;
} Stream;

typedef struct {
    ErlNifTime began; /* monotonic */
    _Atomic int is_closed, error;
    _Atomic unsigned long events;
    char folder[1000];
    uint8_t uuid[16];
    Stream stream[STREAMS];
} Trace;
static ErlNifResourceType *trace_type;

static Stream *stream_here(Trace *t) {
    static _Atomic unsigned threads;
    static _Thread_local unsigned number; /* from 1 on */
    if (number == 0)
        number = atomic_fetch_add(&threads, 1) + 1;
    return &t->stream[number % STREAMS];
}

/* --- packets, under the stream's lock --- */

static void begin_packet(const Trace *t, Stream *s) {
    memset(&s->packet.head, 0, sizeof s->packet.head);
    s->packet.head.magic = MAGIC;
    memcpy(s->packet.head.uuid, t->uuid, sizeof t->uuid);
    s->size = sizeof s->packet.head;
}

static void write_all(Trace *t, int file, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            t->error = errno;
            return;
        }
        bytes += written;
        size -= (size_t)written;
    }
}

static void end_packet(Trace *t, Stream *s) {
    if (s->size <= sizeof s->packet.head)
        return;
    s->packet.head.content_bits = s->packet.head.packet_bits = s->size * 8;
    s->packet.head.discarded = s->discarded;
    write_all(t, s->file, s->packet.bytes, s->size);
    begin_packet(t, s);
}

static void open_stream(Trace *t, Stream *s) {
    char name[sizeof t->folder + 30];
    snprintf(name, sizeof name, "%s/stream_%d", t->folder, (int)(s - t->stream));
    s->file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (s->file < 0)
        t->error = errno;
    begin_packet(t, s);
}

static void close_streams(Trace *t) {
    atomic_store(&t->is_closed, 1);
    for (Stream *s = t->stream; s < t->stream + STREAMS; s++) {
        enif_mutex_lock(s->lock);
        if (s->file >= 0) {
            end_packet(t, s);
            if (close(s->file) != 0)
                t->error = errno;
            s->file = -1;
        }
        enif_mutex_unlock(s->lock);
    }
}

/* --- events --- */

typedef struct {
    size_t size;
    char bytes[3 * (TEXT + 1)];
} Text;

/* A string ends with a zero byte; what is longer is cut. */
static void add_term(Text *text, ERL_NIF_TERM term) {
    char *to = text->bytes + text->size;
    if (enif_snprintf(to, TEXT, "%T", term) < 0)
        to[0] = 0;
    to[TEXT - 1] = 0;
    text->size += strlen(to) + 1;
}

static void add_nothing(Text *text) { text->bytes[text->size++] = 0; }

static void put(Trace *t, uint16_t kind, const Text *text) {
    Stream *s = stream_here(t);
    EventHead head = {.kind = kind};
    enif_mutex_lock(s->lock);
    if (s->file < 0 && !t->is_closed)
        open_stream(t, s);
    if (s->size + sizeof head + text->size > PACKET && s->file >= 0)
        end_packet(t, s);
    if (s->file >= 0) {
        head.time = (uint64_t)(enif_monotonic_time(ERL_NIF_NSEC) - t->began);
        if (s->size == sizeof s->packet.head)
            s->packet.head.time_begin = head.time;
        s->packet.head.time_end = head.time;
        memcpy(s->packet.bytes + s->size, &head, sizeof head);
        memcpy(s->packet.bytes + s->size + sizeof head, text->bytes, text->size);
        s->size += sizeof head + text->size;
        atomic_fetch_add_explicit(&t->events, 1, memory_order_relaxed);
    } else {
        s->discarded++;
    }
    enif_mutex_unlock(s->lock);
}

static int kind_of(ERL_NIF_TERM tag) {
    for (unsigned i = 0; i < KINDS; i++)
        if (enif_is_identical(tag, kind_atoms[i]))
            return (int)i;
    return -1;
}

/* enabled(Tag, State, Tracee): a closed trace asks for the end of what leads to it. */
static ERL_NIF_TERM enabled(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    void *t;
    if (!enif_get_resource(env, argv[1], trace_type, &t) || ((Trace *)t)->is_closed)
        return enif_is_identical(argv[0], atom_trace_status) ? atom_remove : atom_discard;
    return enif_is_identical(argv[0], atom_trace_status) || kind_of(argv[0]) >= 0 ? atom_trace : atom_discard;
}

/* trace(Tag, State, Tracee, Term, Options): what a call returned, to whom a message goes and the like is `extra`. */
static ERL_NIF_TERM trace(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    void *t;
    ERL_NIF_TERM extra;
    Text text = {0};
    int kind = kind_of(argv[0]);
    if (kind < 0 || !enif_get_resource(env, argv[1], trace_type, &t))
        return atom_ok;
    add_term(&text, argv[2]);
    add_term(&text, argv[3]);
    if (enif_get_map_value(env, argv[4], atom_extra, &extra))
        add_term(&text, extra);
    else
        add_nothing(&text);
    put(t, (uint16_t)kind, &text);
    return atom_ok;
}

/* --- what is around them --- */

#define INTEGER(size, name) "typealias integer { size = " size "; align = 8; signed = false; } := " name ";\n"
static int write_metadata(const Trace *t) {
    char name[sizeof t->folder + 30];
    snprintf(name, sizeof name, "%s/metadata", t->folder);
    FILE *out = fopen(name, "we");
    if (out == NULL)
        return errno;
    ErlNifTime offset = t->began + enif_time_offset(ERL_NIF_NSEC);
    fprintf(out, "/* CTF 1.8 */\n" INTEGER("8", "uint8_t") INTEGER("16", "uint16_t") INTEGER("32", "uint32_t")
                     INTEGER("64", "uint64_t") "trace {\n  major = 1;\n  minor = 8;\n  byte_order = le;\n  uuid = \"");
    for (unsigned i = 0; i < sizeof t->uuid; i++)
        fprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", t->uuid[i]);
    fprintf(out,
            "\";\n  packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };\n};\n"
            "env { tracer_name = \"ctf_tracer\"; };\n"
            "clock { name = \"system\"; freq = 1000000000; offset_s = %lld; offset = %lld; };\n",
            (long long)offset / 1000000000, (long long)offset % 1000000000);
    fprintf(out, "typealias integer { size = 64; align = 8; signed = false; map = clock.system.value; } := time_t;\n"
                 "stream {\n  id = 0;\n  packet.context := struct { time_t timestamp_begin; time_t timestamp_end;\n"
                 "    uint64_t content_size; uint64_t packet_size; uint32_t events_discarded; };\n"
                 "  event.header := struct { uint16_t id; time_t timestamp; };\n"
                 "  event.context := struct { string _process; };\n};\n");
    for (unsigned i = 0; i < KINDS; i++)
        fprintf(out,
                "event { id = %u; name = \"%s\"; stream_id = 0;\n"
                "  fields := struct { string _term; string _extra; }; };\n",
                i, kinds[i]);
    int error = ferror(out) ? EIO : 0;
    return fclose(out) != 0 ? errno : error;
}

static ERL_NIF_TERM failed(ErlNifEnv *env, int error) {
    return enif_make_tuple2(env, enif_make_atom(env, "error"), enif_make_string(env, strerror(error), ERL_NIF_LATIN1));
}

static int make_uuid(uint8_t uuid[16]) {
    int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    int is_made = file >= 0 && read(file, uuid, 16) == 16;
    if (file >= 0)
        close(file);
    return is_made;
}

/* open(Folder) -> Trace | {error, Text}: a folder that is not there yet. */
static ERL_NIF_TERM open_trace(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Trace *t = enif_alloc_resource(trace_type, sizeof *t);
    memset(t, 0, sizeof *t);
    for (Stream *s = t->stream; s < t->stream + STREAMS; s++) {
        s->file = -1;
        s->lock = enif_mutex_create("ctf_tracer stream");
    }
    t->began = enif_monotonic_time(ERL_NIF_NSEC);
    ERL_NIF_TERM made = enif_make_resource(env, t);
    enif_release_resource(t); /* from here on the term keeps it */
    if (enif_get_string(env, argv[0], t->folder, sizeof t->folder, ERL_NIF_LATIN1) <= 0)
        return enif_make_badarg(env);
    int error = !make_uuid(t->uuid) ? EIO : mkdir(t->folder, 0755) != 0 ? errno : write_metadata(t);
    return error != 0 ? failed(env, error) : made;
}

/* close(Trace) -> {ok, Events} | {error, Text}. What comes later is not written. */
static ERL_NIF_TERM close_trace(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    void *resource;
    if (!enif_get_resource(env, argv[0], trace_type, &resource))
        return enif_make_badarg(env);
    Trace *t = resource;
    close_streams(t);
    return t->error != 0 ? failed(env, t->error) : enif_make_tuple2(env, atom_ok, enif_make_ulong(env, t->events));
}

/* Nobody has it any more. */
static void trace_gone(ErlNifEnv *env, void *resource) {
    Trace *t = resource;
    close_streams(t);
    for (Stream *s = t->stream; s < t->stream + STREAMS; s++)
        enif_mutex_destroy(s->lock);
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    for (unsigned i = 0; i < KINDS; i++)
        kind_atoms[i] = enif_make_atom(env, kinds[i]);
    atom_trace_status = enif_make_atom(env, "trace_status");
    atom_trace = enif_make_atom(env, "trace");
    atom_discard = enif_make_atom(env, "discard");
    atom_remove = enif_make_atom(env, "remove");
    atom_ok = enif_make_atom(env, "ok");
    atom_extra = enif_make_atom(env, "extra");
    trace_type = enif_open_resource_type(env, NULL, "trace", trace_gone, ERL_NIF_RT_CREATE, NULL);
    return trace_type == NULL;
}

static ErlNifFunc functions[] = {{"enabled", 3, enabled},
                                 {"trace", 5, trace},
                                 {"open", 1, open_trace, ERL_NIF_DIRTY_JOB_IO_BOUND},
                                 {"close", 1, close_trace, ERL_NIF_DIRTY_JOB_IO_BOUND}};
ERL_NIF_INIT(ctf_tracer, functions, load, NULL, NULL, NULL)
