/* Descriptors armed once, under keys, from several threads. */
#include "sys/fd_poll.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/event_polling.h"
#include "sys/thread.h"
#include "unit.h"

static int ends[2];

static void fresh_pipe(void) {
    assert_int_equal(pipe(ends), 0);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
}
static void close_pipe(void) {
    fd_poll_forget(ends[0]);
    fd_poll_forget(ends[1]);
    close(ends[0]);
    close(ends[1]);
}
static FdEvent next_event(void) {
    FdEvent e[4];
    assert_int_equal(fd_poll_wait(e, 4, -1), 1);
    return e[0];
}

static void reads_and_writes(void **state) {
    fresh_pipe();
    assert_int_equal(fd_poll_arm(ends[0], FD_READ, 11), 0);
    assert_int_equal(fd_poll_arm(ends[1], FD_WRITE, 12), 0);
    FdEvent e = next_event();
    assert_true(e.key == 12 && e.events == FD_WRITE);
    assert_int_equal(write(ends[1], "x", 1), 1);
    e = next_event();
    assert_true(e.key == 11 && e.events == FD_READ);
    close_pipe();
}

/* Not armed again, nothing comes, although there is something to read; armed anew, it does, with the new key. */
static void once(void **state) {
    fresh_pipe();
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(fd_poll_arm(ends[0], FD_READ, 21), 0);
    assert_true(next_event().key == 21);
    assert_int_equal(fd_poll_arm(ends[1], FD_WRITE, 22), 0);
    assert_true(next_event().key == 22);
    assert_int_equal(fd_poll_arm(ends[0], FD_READ, 23), 0);
    assert_int_equal(fd_poll_arm(ends[0], FD_READ, 24), 0);
    assert_true(next_event().key == 24);
    close_pipe();
}

static void problems(void **state) {
    fresh_pipe();
    assert_int_equal(fd_poll_arm(ends[1], 0, 31), 0);
    close(ends[0]);
    FdEvent e = next_event();
    assert_true(e.key == 31 && e.events & FD_PROBLEM);
    fd_poll_forget(ends[1]);
    close(ends[1]);
    assert_int_equal(fd_poll_arm(ends[1], FD_READ, 32), EBADF);
    int file = open("/proc/self/exe", O_RDONLY);
    assert_int_equal(fd_poll_arm(file, FD_READ, 33), EPERM);
    close(file);
}

#define ROUNDS 300
static void opens_and_closes(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        int own[2];
        if (pipe(own) != 0)
            return;
        fd_poll_arm(own[0], FD_READ, 1);
        if (write(own[1], "x", 1) == 1 && i % 2)
            fd_poll_arm(own[0], FD_READ, 1);
        fd_poll_forget(own[0]);
        close(own[0]);
        close(own[1]);
    }
    fd_poll_arm(ends[1], FD_WRITE, 2); /* the last word of this thread */
}

/* Descriptors come and go while somebody waits: he hears of some, and of the end. */
static void under_threads(void **state) {
    enum { THREADS = 3 };
    for (int round = 0; round < THREADS; round++) {
        Thread threads[THREADS];
        fresh_pipe();
        for (int i = 0; i < THREADS; i++)
            thread_start(&threads[i], "opens", 0, opens_and_closes, NULL);
        FdEvent e[16];
        for (bool over = false; !over;)
            for (int i = fd_poll_wait(e, 16, -1); i-- > 0;)
                over |= e[i].key == 2;
        for (int i = 0; i < THREADS; i++)
            thread_join(&threads[i]);
        close_pipe();
    }
}

/* A wait ends at its time, and not before. */
static void in_time(void **state) {
    FdEvent e[4];
    int64_t until = clock_monotonic() + 3100000;
    assert_int_equal(fd_poll_wait(e, 4, 0), 0);
    while (clock_monotonic() < until - 100000)
        assert_int_equal(fd_poll_wait(e, 4, until), 0);
    assert_int_equal(fd_poll_wait(e, 4, until - 3000000), 0);
}

#define CALLS 2000
static SysEvent ping, pong;
static void answers(void *unused) {
    FdEvent e[4];
    for (int i = 0; i < CALLS; i++) {
        bool is_woken = false;
        while (!is_woken) { /* by the event, or for nothing */
            assert_int_equal(event_wait_polling(&ping, -1, e, 4), 0);
            is_woken = atomic_load(&ping.state) != 0;
        }
        event_reset(&ping);
        event_wake(&pong);
    }
}

/* Whoever wakes the event ends the wait for descriptors. */
static void called(void **state) {
    Thread thread;
    thread_start(&thread, "answers", 0, answers, NULL);
    for (int i = 0; i < CALLS; i++) {
        event_reset(&pong);
        event_wake(&ping);
        assert_true(event_wait(&pong, -1));
    }
    thread_join(&thread);
}

/* Interrupted before it begins, or begun before it is interrupted. */
static void interrupted(void **state) {
    FdEvent e[4];
    fd_poll_interrupt();
    fd_poll_interrupt();
    assert_int_equal(fd_poll_wait(e, 4, -1), 0);
}

static int start(void **state) {
    fd_poll_init();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {unit(reads_and_writes), unit(once),   unit(problems),   unit(under_threads),
                                       unit(in_time),          unit(called), unit(interrupted)};
    return cmocka_run_group_tests(tests, start, NULL);
}
