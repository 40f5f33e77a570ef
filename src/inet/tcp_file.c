#include "inet/tcp_file.h"

#include <errno.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "inet/tell.h"
#include "term/atom.h"

#define BYTES_AT_ONCE (1024 * 1024) /* a file may have to be read from a disk */

typedef struct TcpFile {
    Term pid;
    int fd;
    int64_t offset, left, sent;
    size_t before; /* bytes of the queue that go before it */
} TcpFile;

static TcpFile take(Tcp *t) {
    TcpFile f = *t->file;
    close(f.fd);
    mem_free(ALLOC_PORT, t->file);
    t->file = NULL;
    return f;
}

static void tell(Tcp *t, Term to, const Term *result, size_t arity) {
    InetMessage m;
    Area *area = inet_message_begin(&m, 5 + arity);
    Term term = area_tuple3(area, am_sendfile, t->inet.id, area_tuple(area, result, arity));
    inet_message_send(&t->inet, &m, to, term);
}

void tcp_file_begin(Tcp *t, int fd, int64_t offset, int64_t size) {
    t->file = mem_alloc(ALLOC_PORT, sizeof *t->file);
    *t->file = (TcpFile){inet_caller(&t->inet), fd, offset, size, 0, driver_sizeq(t->inet.port)};
}

size_t tcp_file_turn(const Tcp *t) { return t->file != NULL ? t->file->before : SIZE_MAX; }

void tcp_file_approach(Tcp *t, size_t bytes) {
    if (t->file != NULL)
        t->file->before -= bytes;
}

void tcp_file_end(Tcp *t, Term reason) {
    if (t->file == NULL)
        return;
    TcpFile f = take(t);
    tell(t, f.pid, (Term[]){am_error, reason}, 2);
}

static void is_through(Tcp *t) {
    TcpFile f = take(t);
    Term low = small_make(f.sent & UINT32_MAX), high = small_make(f.sent >> 32);
    tell(t, f.pid, (Term[]){am_ok, low, high}, 3);
}

int tcp_file_write(Tcp *t) {
    TcpFile *f = t->file;
    off_t offset = f->offset;
    ssize_t sent = sendfile(t->inet.fd, f->fd, &offset, f->left < BYTES_AT_ONCE ? (size_t)f->left : BYTES_AT_ONCE);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (sent < 0) {
        int error = errno;
        bool is_gone = error == EPIPE || error == ECONNRESET;
        tcp_file_end(t, is_gone ? am_closed : inet_error(error));
        return is_gone ? error : 0;
    }
    f->offset = offset;
    f->sent += sent;
    f->left -= sent;
    if (sent == 0 || f->left == 0)
        is_through(t);
    return 0;
}
