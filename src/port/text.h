/*
 * A port as text, for people: a section as in a crash dump, in the form of the stock runtime. By the thread that runs
 * the port, or one who is alone as the program ends; allocates nothing. Source: ERTS user's guide, "How to Interpret
 * the Erlang Crash Dumps"; dumps of OTP 25.
 */
#ifndef VIV_PORT_TEXT_H
#define VIV_PORT_TEXT_H

#include "port/port.h"
#include "term/text.h"

/* "=port:#Port<0.1>" and lines. */
void port_text(Text *to, const Port *port);

#endif
