/* A thread of the driver's that has a count of a port's data lock looks at its queue when the port is gone. */
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "erl_driver.h"

typedef struct {
    ErlDrvPort port;
    ErlDrvPDL lock;
    _Atomic int is_to_look;
    long size, added, left;
    ErlDrvTid thread;
} Late;

static void *look(void *data) {
    Late *l = data;
    while (!atomic_load(&l->is_to_look))
        usleep(1000);
    driver_pdl_lock(l->lock);
    l->size = (long)driver_sizeq(l->port);
    l->added = driver_enq(l->port, "x", 1);
    l->left = driver_pdl_dec_refc(l->lock); /* its own: that of who has the lock is left */
    driver_pdl_unlock(l->lock);
    return NULL;
}

static Late late;

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }

static void job(void *lock) {}
static void ready_async(ErlDrvData data, ErlDrvThreadData lock) {
    char text[16];
    int size = snprintf(text, sizeof text, "%ld", (long)driver_pdl_get_refc((ErlDrvPDL)lock));
    driver_output((ErlDrvPort)data, text, (ErlDrvSizeT)size);
}

static void begin_late(ErlDrvPort port) {
    late = (Late){.port = port, .lock = driver_pdl_create(port)};
    driver_pdl_inc_refc(late.lock);
    erl_drv_thread_create("late", &late.thread, look, &late, NULL);
}

static int end_late(char *answer, size_t room) {
    atomic_store(&late.is_to_look, 1);
    erl_drv_thread_join(late.thread, NULL);
    return snprintf(answer, room, "%ld, %ld, left %ld", late.size, late.added, late.left);
}

/* Counts: with nothing, while it is had, with a job. */
static int counts(ErlDrvPort port, char *answer, size_t room) {
    ErlDrvPDL lock = driver_pdl_create(port);
    long one = driver_pdl_get_refc(lock);
    driver_pdl_lock(lock);
    long had = driver_pdl_get_refc(lock);
    driver_pdl_unlock(lock);
    driver_async(port, NULL, job, lock, NULL);
    return snprintf(answer, room, "%ld, had %ld, with a job %ld, again %d", one, had, driver_pdl_get_refc(lock),
                    driver_pdl_create(port) != NULL);
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned what, char *bytes, ErlDrvSizeT size, char **answer,
                            ErlDrvSizeT room) {
    ErlDrvPort port = (ErlDrvPort)data;
    if (what == 'c')
        return counts(port, *answer, room);
    if (what == 'e')
        return end_late(*answer, room);
    begin_late(port);
    return 0;
}

static ErlDrvEntry entry = {
    .driver_name = "r_port_data_lock",
    .start = start,
    .control = control,
    .ready_async = ready_async,
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
    .driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING,
};

DRIVER_INIT(r_port_data_lock) { return &entry; }
