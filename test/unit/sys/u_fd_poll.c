/* Descriptors armed once, under keys, from several threads. */
#include "sys/fd_poll.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

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
    assert_int_equal(fd_poll_wait(e, 4), 1);
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
            for (int i = fd_poll_wait(e, 16); i-- > 0;)
                over |= e[i].key == 2;
        for (int i = 0; i < THREADS; i++)
            thread_join(&threads[i]);
        close_pipe();
    }
}

static int start(void **state) {
    fd_poll_init();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {unit(reads_and_writes), unit(once), unit(problems), unit(under_threads)};
    return cmocka_run_group_tests(tests, start, NULL);
}
