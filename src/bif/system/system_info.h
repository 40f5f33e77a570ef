/*
 * What erlang:system_info tells about the OTP libraries in use: found out once, at start.
 */
#ifndef VIV_BIF_SYSTEM_SYSTEM_INFO_H
#define VIV_BIF_SYSTEM_SYSTEM_INFO_H

#include "process/clock.h"
#include "term/text.h"
#include "term/term.h"

/* `root` is an OTP root or NULL: its release and runtime version are what otp_release and version answer. The string
 * stays good for ever. Before any process runs. */
void system_info_set_otp_root(const char *root);

/* The same, when it is known which version of erts runs: a root of OTP may have several, and the folder `releases` of
 * another root has that one's releases. */
void system_info_set_runtime(const char *version);

/* The words of the command line, ended by NULL; kept. */
void system_info_set_arguments(char **arguments);
/* What ets_limit answers (+e, ERL_MAX_ETS_TABLES), if it is more than the default. */
void system_info_set_ets_limit(int64_t tables);
/* Ctrl-C does nothing (+Bi). */
void system_info_set_break_ignored(void);

/* What system_version answers. */
void system_version_text(Text *to);

/* enabled, blocked or blocked_normal. */
Term multi_scheduling_state(void);
/* final, preliminary or volatile. */
Term offset_state_term(OffsetState state);

#endif
