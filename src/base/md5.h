/*
 * MD5 (RFC 1321): the identity of a module's code, and erlang:md5/1.
 *
 * md5_init, any number of md5_update, md5_final. The context is a plain value: it may be copied to fork a digest.
 */
#ifndef VIV_BASE_MD5_H
#define VIV_BASE_MD5_H

#include "base/defs.h"

#define MD5_BYTES 16

typedef struct {
    uint32_t state[4];
    uint64_t bytes;
    uint8_t block[64]; /* bytes % 64 of it are used */
} Md5;

void md5_init(Md5 *md5);
void md5_update(Md5 *md5, const void *data, size_t bytes);
void md5_final(Md5 *md5, uint8_t digest[MD5_BYTES]);

#endif
