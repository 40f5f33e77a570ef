/*
 * Bytes that are kept where they are: parts of driver binaries, oldest first. What a command carries, and the queue of
 * a port. One user at a time; each part has one count of its binary, given back when it is dropped.
 *
 * As drivers have it (ErlIOVec): the array has a free place in front, with no bytes, that they may use for a header.
 */
#ifndef VIV_PORT_IO_VECTOR_H
#define VIV_PORT_IO_VECTOR_H

#include "erl_driver.h"
#include "term/refc_binary.h"

typedef struct {
    SysIOVec *iov;
    ErlDrvBinary **binaries;
    size_t first, end, capacity; /* iov[first..end); first is at least 1 when capacity is not 0 */
    size_t bytes;
} IoVector;

/* A driver binary is the end of a RefcBinary. */
static inline RefcBinary *driver_refc(ErlDrvBinary *b) {
    return container_of((size_t *)&b->orig_size, RefcBinary, size);
}
static inline ErlDrvBinary *driver_binary(RefcBinary *b) { return (ErlDrvBinary *)&b->size; }

void io_vector_release(IoVector *v);
/* At the end, at the front: takes over one count of `binary`. */
void io_vector_add(IoVector *v, ErlDrvBinary *binary, char *bytes, size_t size);
void io_vector_push(IoVector *v, ErlDrvBinary *binary, char *bytes, size_t size);
/* A copy of bytes. */
void io_vector_add_copy(IoVector *v, const char *bytes, size_t size);
void io_vector_push_copy(IoVector *v, const char *bytes, size_t size);
/* Takes so many bytes from the front; there are as many. */
void io_vector_drop(IoVector *v, size_t size);
/* The same, and they come to the end of another. */
void io_vector_move(IoVector *v, size_t size, IoVector *to);
/* Copies the first `size` bytes, of which there are as many. */
void io_vector_copy(const IoVector *v, size_t size, char *to);
/* The parts of an iolist: large binaries are shared, what lies between them is joined. Long work. `drops_bits`:
 * a bitstring of less than a byte is nothing. False: it is none. */
must_check bool io_vector_of_iolist(IoVector *v, Term iolist, bool drops_bits);
/* As a driver's outputv gets it: with the free place in front. Good until v changes. */
ErlIOVec io_vector_for_driver(IoVector *v);

#endif
