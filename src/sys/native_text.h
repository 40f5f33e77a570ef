/*
 * How texts of the system are written: names of files, the environment, arguments of programs. In UTF-8, or in Latin-1,
 * as the locale says or the flag +fn. Source: erl(1), +fna, +fnl, +fnu; file(3), native_name_encoding/0.
 *
 * Written before there are other threads; UTF-8 until then.
 */
#ifndef VIV_SYS_NATIVE_TEXT_H
#define VIV_SYS_NATIVE_TEXT_H

#include "base/defs.h"

/* What becomes of names in a folder that are no UTF-8. */
typedef enum { UNTRANSLATABLE_WARNS, UNTRANSLATABLE_IGNORED, UNTRANSLATABLE_FAILS } Untranslatable;

typedef struct {
    bool is_latin1;
    Untranslatable untranslatable;
} NativeText;
extern NativeText native_text;

/* Is the locale of the environment one of UTF-8? */
bool locale_is_utf8(void);

/* As the locale says. */
void native_text_start(void);
/* What follows +fn: one of `a`, `l` and `u`, and `w`, `i`, `e` or nothing. */
void native_text_flag(const char *value);

/* Writes a character that unicode_is_valid, and says how many bytes it takes. 0: it cannot be written, as in Latin-1
 * those beyond 255, or ends a text, as 0 does. */
size_t native_text_put(uint32_t character, uint8_t *out);

#endif
