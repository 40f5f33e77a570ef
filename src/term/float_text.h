/*
 * Floats as text, digit for digit as the stock runtime. Source: erlang(3) float_to_list/1,2, list_to_float/1.
 */
#ifndef VIV_TERM_FLOAT_TEXT_H
#define VIV_TERM_FLOAT_TEXT_H

#include "base/defs.h"

#define FLOAT_MAX_DECIMALS 253
#define FLOAT_MAX_SCIENTIFIC 249
#define FLOAT_TEXT_MAX 255 /* room for this many characters is always enough */

/* All return the length; no NUL. 0: the text would be longer than FLOAT_TEXT_MAX, which the stock runtime refuses
 * (badarg). */
/* d.ddddde+dd with `digits` (0 to 249) after the point. float_to_list/1 has 20. */
size_t float_text_scientific(double d, unsigned digits, char *out);
/* Fixed point with `decimals` (0 to 253); compact: trailing zeros dropped (one stays). */
size_t float_text_decimals(double d, unsigned decimals, bool compact, char *out);
/* The shortest text that reads back as the same double: the option `short`, ~p and ~w. */
size_t float_text_short(double d, char *out);

/* Erlang's syntax: [+-]digits.digits[(e|E)[+-]digits]. False when the text is something else or too large. */
bool float_parse(const char *text, size_t length, double *d);

#endif
