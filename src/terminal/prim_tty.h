/*
 * The natives of prim_tty, with which OTP from 26 on speaks to standard input and output, and edits lines. A library of
 * the runtime's own (nif/load.h: nif_add_inner). Source: what kernel's prim_tty.erl asks of them, and what OTP 27's
 * emulator answers.
 *
 * A tty is a resource without contents of its own: there is one terminal (terminal/mode.h). Capabilities come from
 * termcap's functions, which keep the last terminal asked for: of one process, as kernel has it.
 */
#ifndef VIV_TERMINAL_PRIM_TTY_H
#define VIV_TERMINAL_PRIM_TTY_H

#include "erl_nif.h"

extern const ErlNifEntry prim_tty_library;

#endif
