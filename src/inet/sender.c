#include "inet/sender.h"

#include <string.h>

#include "alloc/alloc.h"
#include "etf/decode.h"
#include "inet/tell.h"
#include "process/message.h"
#include "sys/release.h"
#include "term/atom.h"

void inet_take_bytes(ErlIOVec *v, void *bytes, size_t size) {
    uint8_t *to = bytes;
    v->size -= size;
    for (int i = 0; size > 0; i++) {
        SysIOVec *part = &v->iov[i];
        size_t bytes = part->iov_len < size ? part->iov_len : size;
        if (bytes == 0)
            continue;
        memcpy(to, part->iov_base, bytes);
        part->iov_base = (char *)part->iov_base + bytes;
        part->iov_len -= bytes;
        to += bytes;
        size -= bytes;
    }
}

static bool take_reference(ErlIOVec *v, InetSender *sender) {
    uint8_t size[2];
    if (v->size < sizeof size)
        return false;
    inet_take_bytes(v, size, sizeof size);
    sender->size = (size_t)(size[0] << 8 | size[1]);
    if (v->size < sender->size)
        return false;
    sender->reference = mem_alloc(ALLOC_PORT, sender->size + 1);
    inet_take_bytes(v, sender->reference, sender->size);
    return true;
}

bool inet_sender_take(Inet *d, ErlIOVec *v, InetSender *sender) {
    *sender = (InetSender){inet_caller(d), NULL, 0};
    return !is_value(sender->pid) || !release_has(RELEASE_REFERENCES_SENT) || take_reference(v, sender);
}

static Term result_term(Area *area, Term result) {
    return result == am_ok ? result : area_tuple2(area, am_error, result);
}

#define WORDS 24

/* What is no term is answered by nothing. */
static void tell_with_reference(Inet *d, InetSender *s, Term result) {
    InetMessage m;
    Term reference;
    Area *area = inet_message_begin(&m, WORDS);
    if (etf_decode(s->reference, s->size, 0, area, &reference, NULL) != ETF_DONE) {
        inet_message_drop(&m);
        return;
    }
    Term reply = area_tuple4(area, am_inet_reply, d->id, result_term(area, result), reference);
    inet_message_send(d, &m, s->pid, reply);
}

static void tell(const Inet *d, const InetSender *s, Term result) {
    Area area;
    Message *m = message_begin(&area, WORDS, d->id);
    message_end(m, &area, area_tuple3(&area, am_inet_reply, d->id, result_term(&area, result)));
    inet_post(m, s->pid);
}

void inet_tell_reply(Inet *d, InetSender *sender, Term result) {
    if (!is_value(sender->pid))
        return; /* a port's peer wants no answer */
    if (sender->reference != NULL)
        tell_with_reference(d, sender, result);
    else
        tell(d, sender, result);
    mem_free(ALLOC_PORT, sender->reference);
    *sender = INET_SENDER_NONE;
}
