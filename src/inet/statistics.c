#include "inet/statistics.h"

#include "term/atom.h"

void inet_count(InetTraffic *t, size_t bytes) {
    t->count++;
    t->bytes += bytes;
    if (bytes > t->max)
        t->max = bytes;
    t->average += ((double)bytes - t->average) / (double)t->count;
    t->deviation += ((double)bytes - t->average - t->deviation) / (double)t->count;
}

static uint32_t value_of(const Inet *d, unsigned number) {
    switch (number) {
    case STATISTIC_RECV_COUNT: return (uint32_t)d->in.count;
    case STATISTIC_RECV_MAX: return (uint32_t)d->in.max;
    case STATISTIC_RECV_AVERAGE: return (uint32_t)d->in.average;
    case STATISTIC_RECV_DEVIATION: return (uint32_t)d->in.deviation;
    case STATISTIC_SEND_COUNT: return (uint32_t)d->out.count;
    case STATISTIC_SEND_MAX: return (uint32_t)d->out.max;
    case STATISTIC_SEND_AVERAGE: return (uint32_t)d->out.average;
    default: return (uint32_t)driver_sizeq(d->port);
    }
}

static Term put(const Inet *d, unsigned number, Text *answer) {
    if (number < STATISTIC_RECV_COUNT || number > STATISTIC_SEND_BYTES)
        return NON_VALUE;
    text_byte(answer, (char)number);
    if (number == STATISTIC_RECV_BYTES || number == STATISTIC_SEND_BYTES)
        inet_put_u64(answer, number == STATISTIC_RECV_BYTES ? d->in.bytes : d->out.bytes);
    else
        inet_put_u32(answer, value_of(d, number));
    return am_ok;
}

Term inet_statistics(Inet *d, Reader *r, Text *answer) {
    Term result = am_ok;
    while (result == am_ok && reader_left(r) > 0)
        result = put(d, reader_u8(r), answer);
    return result;
}
