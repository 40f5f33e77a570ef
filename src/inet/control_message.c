#include "inet/control_message.h"

#include <netinet/in.h>
#include <string.h>

#include "term/atom.h"

static int option_of(const struct cmsghdr *c) {
    if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
        return OPTION_TOS;
    if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TTL)
        return OPTION_TTL;
    return c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS ? OPTION_TCLASS : -1;
}

/* A byte, or an int. */
static int value_of(const struct cmsghdr *c) {
    size_t size = c->cmsg_len - CMSG_LEN(0);
    int value = 0;
    if (size >= sizeof value)
        memcpy(&value, CMSG_DATA(c), sizeof value);
    else if (size > 0)
        value = CMSG_DATA(c)[0];
    return value;
}

void inet_control_messages_put(struct msghdr *message, Text *to) {
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        int option = option_of(c);
        if (option < 0)
            continue;
        text_byte(to, (char)option);
        inet_put_u32(to, (uint32_t)value_of(c));
    }
}

/* --- as terms ----------------------------------------------------------------------------------------------------- */

#define WORDS (2 + 3) /* [{Option, Value} | _] */

static struct cmsghdr *next(const struct msghdr *message, struct cmsghdr *c) {
    return CMSG_NXTHDR((struct msghdr *)message, c);
}

size_t inet_control_messages_words(const struct msghdr *message) {
    size_t words = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = next(message, c))
        words += WORDS;
    return words;
}

static Term name_of(int option) { return option == OPTION_TOS ? am_tos : option == OPTION_TTL ? am_ttl : am_tclass; }

Term inet_control_messages_term(const struct msghdr *message, Area *area) {
    Term list = NIL, *end = &list;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = next(message, c)) {
        int option = option_of(c);
        if (option < 0)
            continue;
        *end = area_cons(area, area_tuple2(area, name_of(option), small_make(value_of(c))), NIL);
        end = list_ptr(*end) + 1;
    }
    return list;
}

/* --- to be sent --------------------------------------------------------------------------------------------------- */

typedef struct {
    int level, type;
} ControlKind;

/* A level of -1: there is none. */
static ControlKind kind_of(unsigned option) {
    switch (option) {
    case OPTION_TOS: return (ControlKind){IPPROTO_IP, IP_TOS};
    case OPTION_TTL: return (ControlKind){IPPROTO_IP, IP_TTL};
    case OPTION_TCLASS: return (ControlKind){IPPROTO_IPV6, IPV6_TCLASS};
    default: return (ControlKind){-1, 0};
    }
}

static void put_control(Text *controls, ControlKind kind, int value) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof value)];
    } c = {0};
    c.header = (struct cmsghdr){CMSG_LEN(sizeof value), kind.level, kind.type};
    memcpy(CMSG_DATA(&c.header), &value, sizeof value);
    text_bytes(controls, c.bytes, sizeof c.bytes);
}

Term inet_control_messages_take(Reader *options, Text *controls) {
    while (reader_left(options) > 0) {
        ControlKind kind = kind_of(reader_u8(options));
        int value = (int)reader_u32(options);
        if (options->bad || kind.level < 0)
            return am_einval;
        put_control(controls, kind, value);
    }
    return am_ok;
}
