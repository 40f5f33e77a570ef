/*
 * enif_select: resources that wait for a file descriptor. Source: erl_nif(3).
 *
 * While an object uses a descriptor (from its first select until the stop) the entry of that (process/fd_table.h) holds
 * a reference to the object. For each of the three directions that it waits for (read, write, error) it has the
 * message, ready made (a KeptMessage: what it was made of may be a literal that goes), and whom it goes to; the message
 * holds the object too. A select arms the descriptor for all directions that are waited for under a new key
 * (sys/fd_poll.h), so of what the poller has already fetched nothing counts any more.
 * What cancel or stop no longer finds has been sent, and not only taken: who cancels waits for that one push.
 *
 * Nothing is sent, released or called back under the entry's lock: what has to be done is taken out of the entry first.
 * So a stop callback is always called directly, by the process that asks for it: the poller never touches the
 * descriptor, and it may be closed there and then.
 */
#ifndef VIV_NIF_SELECT_H
#define VIV_NIF_SELECT_H

#include <stdint.h>

/* By who waits for descriptors: something has happened to what was armed with `key`. `events` as in sys/fd_poll.h. */
void nif_select_ready(uint64_t key, unsigned events);

#endif
