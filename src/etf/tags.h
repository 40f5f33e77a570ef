/*
 * The bytes that the external term format is made of. Source: ERTS User's Guide, "External Term Format".
 */
#ifndef VIV_ETF_TAGS_H
#define VIV_ETF_TAGS_H

enum {
    ETF_VERSION = 131,
    ETF_NEW_FLOAT = 70,
    ETF_BIT_BINARY = 77,
    ETF_COMPRESSED = 80,
    ETF_ATOM_CACHE_REF = 82, /* between nodes only: an atom by its number */
    ETF_NEW_PID = 88,
    ETF_NEW_PORT = 89,
    ETF_NEWER_REFERENCE = 90,
    ETF_SMALL_INTEGER = 97,
    ETF_INTEGER = 98,
    ETF_FLOAT = 99,
    ETF_ATOM = 100, /* latin1 */
    ETF_REFERENCE = 101,
    ETF_PORT = 102,
    ETF_PID = 103,
    ETF_SMALL_TUPLE = 104,
    ETF_LARGE_TUPLE = 105,
    ETF_NIL = 106,
    ETF_STRING = 107,
    ETF_LIST = 108,
    ETF_BINARY = 109,
    ETF_SMALL_BIG = 110,
    ETF_LARGE_BIG = 111,
    ETF_NEW_FUN = 112,
    ETF_EXPORT = 113,
    ETF_NEW_REFERENCE = 114,
    ETF_SMALL_ATOM = 115, /* latin1 */
    ETF_MAP = 116,
    ETF_ATOM_UTF8 = 118,
    ETF_SMALL_ATOM_UTF8 = 119,
    ETF_V4_PORT = 120,
    ETF_LOCAL_TERM = 121, /* a check sum and a term */
};

#define ETF_FLOAT_TEXT_BYTES 31
#define ETF_COMPRESSED_HEADER_BYTES 6 /* version, tag, size */

#endif
