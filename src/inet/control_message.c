#include "inet/control_message.h"

#include <netinet/in.h>
#include <string.h>

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
