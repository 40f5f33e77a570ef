#include "terminal/glyph.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "base/unicode.h"
#include "sys/native_text.h"

static locale_t unicode_locale; /* written once */

bool glyphs_are_unicode(void) {
    if (unicode_locale == (locale_t)0)
        unicode_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    return locale_is_utf8();
}

/* 1 for what the C library does not know: a terminal shows something in its place. */
static uint8_t columns_of(uint32_t character) {
    if (character < 0x300 || unicode_locale == (locale_t)0)
        return 1;
    locale_t before = uselocale(unicode_locale);
    int columns = wcwidth((wchar_t)character);
    uselocale(before);
    return columns < 0 ? 1 : (uint8_t)columns;
}

Glyph glyph_of(uint32_t character, bool is_unicode) {
    Glyph g = {.size = 0};
    int size = 0;
    if (character < ' ' || character == 0x7f)
        size = snprintf(g.bytes, sizeof g.bytes, "^%c", (int)(character | 0x40));
    else if (is_unicode && character >= 0x80)
        g.size = (uint8_t)utf8_encode(character, (uint8_t *)g.bytes);
    else if (character < 0x80)
        size = snprintf(g.bytes, sizeof g.bytes, "%c", (int)character);
    else
        size = snprintf(g.bytes, sizeof g.bytes, character < 0x100 ? "\\%03o" : "\\x{%X}", character);
    if (size == 0)
        g.columns = columns_of(character);
    else
        g.size = g.columns = (uint8_t)size;
    return g;
}
