/*
 * Processes that wait for descriptors: each on a thread of its own, which writes what it waits for at some time before,
 * meanwhile or never, and then drops the wait. One more thread is the poll thread. Nobody waits in vain, the duplicates
 * of the descriptors are closed, and a wait that is dropped is not touched any more.
 */
#include "process/fd_wait.h"

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

#include "code/export.h"
#include "process/bif.h"
#include "process/life.h"
#include "process/process_table.h"
#include "process/request.h"
#include "process/signal_handle.h"
#include "process/waiting_bif.h"
#include "sys/fd_poll.h"
#include "term/atom.h"
#include "term/node.h"
#include "unit.h"
#include "unit_process.h"
#include "unit_progress.h"

#define THREADS 4
#define ROUNDS 2000

static const BifEntry waiting = {.flags = BIF_WAITS};
static Export may_wait = {.bif = &waiting};

static void poll_main(void *unused) {
    thread_progress_be_guest();
    thread_progress_register();
    thread_progress_offline();
    for (bool is_over = false; !is_over;) {
        FdEvent event;
        if (fd_poll_wait(&event, 1, -1) == 0)
            continue;
        is_over = !fd_wait_is_key(event.key);
        if (!is_over)
            fd_wait_ready(event.key);
    }
    thread_progress_online();
    thread_progress_unregister();
}

static Process *enter(void) {
    Process *p = unit_process(STATE_RUNNING);
    p->current_bif = &may_wait;
    return p;
}

static void leave(Process *p) {
    process_table_remove(p);
    signal_close(p);
    unit_wait_for_progress(); /* the poll thread may have found it */
    process_free(p);
}

static void wait_on(Process *p, int fd) {
    while (!fd_wait_readable(p, fd)) {
        thread_progress_quiescent();
        sched_yield();
        signal_handle(p);
    }
    assert_null(p->request);
}

/* What is written when, and whether the wait is dropped. */
enum { BEFORE, MEANWHILE, NEVER, TOO_LATE, KINDS };

static void one(Process *p, const int *ends, int kind) {
    char byte = 0;
    if (kind == BEFORE)
        assert_int_equal(write(ends[1], &byte, 1), 1);
    assert_true(fd_wait_readable(p, ends[0]) == (kind == BEFORE));
    if (kind == MEANWHILE || kind == TOO_LATE)
        assert_int_equal(write(ends[1], &byte, 1), 1);
    if (kind == MEANWHILE)
        wait_on(p, ends[0]);
    else if (kind != BEFORE)
        request_drop(p);
    if (kind != NEVER)
        assert_int_equal(read(ends[0], &byte, 1), 1);
}

static void work(void *data) {
    unsigned seed = (unsigned)(uintptr_t)data;
    int ends[2];
    thread_progress_register();
    Process *p = enter();
    assert_int_equal(pipe(ends), 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        one(p, ends, rand_r(&seed) % KINDS);
        signal_handle(p); /* answers that nobody waits for */
        thread_progress_quiescent();
    }
    close(ends[0]);
    close(ends[1]);
    leave(p);
    thread_progress_unregister();
}

static int open_files(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* A key of nobody's ends the poll thread. */
static void end_polling(Thread *thread, int *ends) {
    char byte = 0;
    assert_int_equal(fd_poll_arm(ends[0], FD_READ, 0), 0);
    assert_int_equal(write(ends[1], &byte, 1), 1);
    thread_join(thread);
}

static void nobody_waits_in_vain(void **state) {
    Thread poll_thread, threads[THREADS];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int before = open_files();
    thread_start(&poll_thread, "poll", 0, poll_main, NULL);
    for (uintptr_t i = 0; i < THREADS; i++)
        thread_start(&threads[i], "process", 0, work, (void *)(i + 1));
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    end_polling(&poll_thread, ends);
    assert_int_equal(open_files(), before);
}

int main(void) {
    atom_table_init(10000);
    node_table_init();
    process_table_init(PROCESS_LIMIT_MIN);
    fd_poll_init();
    const struct CMUnitTest tests[] = {unit(nobody_waits_in_vain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
