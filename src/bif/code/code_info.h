/*
 * What other topics ask about functions of the table: which of them the stock runtime would call built in. No lock.
 */
#ifndef VIV_BIF_CODE_CODE_INFO_H
#define VIV_BIF_CODE_CODE_INFO_H

#include "process/bif.h"

/* Is it a built-in function in the sense of erlang(3) is_builtin/3? */
bool bif_is_builtin(const BifEntry *b);

#endif
