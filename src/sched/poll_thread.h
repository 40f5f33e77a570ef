/*
 * The thread that sees to it that descriptors are looked at though no scheduler comes to do so: each is in a slice, and
 * one of them has been there for long, in a function of a native library or a driver. It asks a scheduler that sleeps
 * to wait for them, or looks itself if none does (sched/poller.h). While somebody waits for descriptors it sleeps;
 * while schedulers look, all of them busy, it comes each eight milliseconds.
 */
#ifndef VIV_SCHED_POLL_THREAD_H
#define VIV_SCHED_POLL_THREAD_H

/* Once. */
void poll_thread_start(void);

#endif
