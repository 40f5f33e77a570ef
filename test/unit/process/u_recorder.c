/*
 * The flight recorder: schedulers and other threads record, while others read and it is switched, made larger and
 * ended: what is read is whole and in order. For ThreadSanitizer.
 */
#include "process/recorder.h"

#include <string.h>

#include "process/recorder_text.h"
#include "process/run_queue.h"
#include "term/atom.h"
#include "unit.h"

#define QUEUES 2
#define OTHERS 2
#define READERS 2
#define ROUNDS 20000

static Process actors[QUEUES + OTHERS];
static _Atomic int running;

/* A message's head is the round; so is the other's pid. */
static void write_round(const Process *p, SWord round) {
    recorder_message(p, RECORD_SEND, pid_make((Word)round), small_make(round));
}

static void writer(void *which) {
    const Process *p = which;
    size_t index = (size_t)(p - actors);
    thread_progress_register();
    if (index < QUEUES)
        run_queue_set_self(run_queue_at((unsigned)index));
    else
        thread_progress_offline(); /* as dirty threads are */
    for (SWord i = 0; i < ROUNDS; i++) {
        write_round(p, i);
        if (index < QUEUES)
            thread_progress_quiescent();
    }
    run_queue_set_self(NULL);
    if (index >= QUEUES)
        thread_progress_online();
    thread_progress_unregister();
    atomic_fetch_sub(&running, 1);
}

/* -1: it is no record of this test. */
static long round_of(const char *line, unsigned *ring, unsigned *pid) {
    long long time;
    unsigned serial, to;
    long round;
    if (sscanf(line, "%lld\t%u\t<0.%u.0>\tsend\t<0.%u.%u>\t%ld", &time, ring, pid, &to, &serial, &round) != 6)
        return -1;
    assert_int_equal((Word)to | (Word)serial << PID_NUMBER_BITS, round);
    return round;
}

/* Those of each process in their order. */
static unsigned look_through(Text *text) {
    long last[QUEUES + OTHERS];
    unsigned count = 0, ring = 0, pid = 0;
    memset(last, -1, sizeof last);
    for (char *line = strtok((char *)text_cstring(text), "\n"); line != NULL; line = strtok(NULL, "\n")) {
        long round = round_of(line, &ring, &pid);
        assert_true(round >= 0 || strncmp(line, "ring\t", 5) == 0);
        if (round < 0)
            continue;
        assert_true(pid < QUEUES + OTHERS && ring == (pid < QUEUES ? pid + 1 : 0));
        assert_true(round > last[pid]);
        last[pid] = round;
        count++;
    }
    return count;
}

static unsigned read_all(void) {
    unsigned count = 0;
    mutex_lock(&recorder_lock);
    const Recorder *r = atomic_load(&the_recorder);
    for (unsigned i = 0; r != NULL && i < r->count; i++) {
        Text text;
        text_init(&text);
        recorder_text_ring(&text, r, i, 0);
        mutex_unlock(&recorder_lock);
        count += look_through(&text);
        text_release(&text);
        mutex_lock(&recorder_lock);
        r = atomic_load(&the_recorder);
    }
    mutex_unlock(&recorder_lock);
    return count;
}

static Mutex token = MUTEX_INITIALIZER(LOCK_RUN_QUEUE); /* strtok */

static void reader(void *unused) {
    while (atomic_load(&running) > 0) {
        mutex_lock(&token);
        read_all();
        mutex_unlock(&token);
    }
}

static void begin(Thread *threads) {
    atomic_store(&running, QUEUES + OTHERS);
    for (unsigned i = 0; i < QUEUES + OTHERS; i++)
        thread_start(&threads[i], "writer", 0, writer, &actors[i]);
}

static void join(Thread *threads, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        thread_join(&threads[i]);
}

static void what_is_read_is_whole(void **state) {
    Thread threads[QUEUES + OTHERS], readers[READERS];
    recorder_choose(TRACE_SEND, RECORDS_LEAST);
    begin(threads);
    for (unsigned i = 0; i < READERS; i++)
        thread_start(&readers[i], "reader", 0, reader, NULL);
    while (atomic_load(&running) > 0)
        thread_progress_quiescent();
    join(threads, QUEUES + OTHERS);
    join(readers, READERS);
    const Recorder *r = atomic_load(&the_recorder);
    for (unsigned i = 0; i < QUEUES; i++)
        assert_int_equal(recorder_ring_done(&r->part[i]->ring), ROUNDS);
    const RecorderPart *last = r->part[QUEUES];
    assert_int_equal(recorder_ring_done(&last->ring) + atomic_load(&last->missed), OTHERS * ROUNDS);
    assert_int_equal(read_all(), (QUEUES + 1) * (RECORDS_LEAST - 1)); /* the oldest may be about to go */
}

static void it_is_switched_meanwhile(void **state) {
    Thread threads[QUEUES + OTHERS], a_reader;
    begin(threads);
    thread_start(&a_reader, "reader", 0, reader, NULL);
    for (unsigned i = 0; atomic_load(&running) > 0; i++) {
        recorder_choose(i % 3 == 0 ? 0 : TRACE_SEND, i % 3 == 1 ? RECORDS_LEAST : 4 * RECORDS_LEAST);
        thread_progress_quiescent();
    }
    join(threads, QUEUES + OTHERS);
    join(&a_reader, 1);
    recorder_choose(0, RECORDS_LEAST);
    assert_null(atomic_load(&the_recorder));
    assert_int_equal(read_all(), 0);
}

/* Nothing of a process that is sensitive; of a message only what is a word, however deep. */
static void what_is_recorded(void **state) {
    TEXT(text);
    _Alignas(16) Term inner[] = {header_make(KIND_TUPLE, 1), small_make(7)};
    _Alignas(16) Term outer[] = {header_make(KIND_TUPLE, 2), boxed_make(inner), NIL};
    _Alignas(16) Term cell[] = {NIL, NIL};
    Process sensitive = {.pid = pid_make(9)};
    atomic_init(&sensitive.state, STATE_SENSITIVE);
    recorder_choose(TRACE_SEND, RECORDS_LEAST);
    run_queue_set_self(run_queue_at(0));
    recorder_message(&actors[0], RECORD_SEND, am_error, boxed_make(outer));
    recorder_message(&sensitive, RECORD_SEND, am_error, am_ok);
    recorder_message(&actors[0], RECORD_RECEIVE, NON_VALUE, list_make(cell));
    run_queue_set_self(NULL);
    recorder_text_ring(&text, atomic_load(&the_recorder), 0, 0);
    assert_non_null(strstr(text_cstring(&text), "ring\t1\t2\t0\n"));
    assert_non_null(strstr(text_cstring(&text), "\t1\t<0.0.0>\tsend\terror\t{{7,...},...}\n"));
    assert_non_null(strstr(text_cstring(&text), "\t1\t<0.0.0>\treceive\t-\t...\n"));
    recorder_choose(0, RECORDS_LEAST);
}

int main(void) {
    atom_table_init(1 << 20);
    run_queues_init(QUEUES);
    thread_progress_register();
    for (unsigned i = 0; i < QUEUES + OTHERS; i++)
        actors[i].pid = pid_make(i);
    const struct CMUnitTest tests[] = {unit(what_is_recorded), unit(what_is_read_is_whole),
                                       unit(it_is_switched_meanwhile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
