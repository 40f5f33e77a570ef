/*
 * How a character is shown on a terminal: as itself, in one column or two or, if it joins the one before it, none; a
 * control character as ^X; what the terminal's character set has not as its number. Source: what the stock shell shows.
 */
#ifndef VIV_TERMINAL_GLYPH_H
#define VIV_TERMINAL_GLYPH_H

#include "base/defs.h"

#define GLYPH_MAX 12 /* bytes of one */

typedef struct {
    char bytes[GLYPH_MAX];
    uint8_t size, columns;
} Glyph;

/* Once, before the others, by one thread. The environment says what the character set is: is it UTF-8? */
bool glyphs_are_unicode(void);
/* Not of a tab, whose columns depend on where it stands. */
Glyph glyph_of(uint32_t character, bool is_unicode);

#endif
