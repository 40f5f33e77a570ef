/*
 * +S, +SP, +SDcpu and +SDPcpu: Total, Total:Online or :Online; nothing or 0 is what the machine has, a negative number
 * so many less. In per cent, whichever flag comes first: of what +S or +SDcpu says, or else of the processors that
 * there are, and of those that this program may use; where nothing is said of those online, as of the total, and 100 at
 * most.
 * Source: erl(1); what OTP 25 makes of each.
 */
#ifndef VIV_INIT_SCHEDULERS_FLAGS_H
#define VIV_INIT_SCHEDULERS_FLAGS_H

#include "init/settings.h"

void schedulers_flag(Settings *settings, const char *value);
void percentage_flag(Settings *settings, const char *value);
void dirty_schedulers_flag(Settings *settings, const char *value);
void dirty_percentage_flag(Settings *settings, const char *value);
/* When all flags were taken: what none of them said, parts, and no more dirty threads than schedulers. */
void schedulers_flags_settle(Settings *settings);

#endif
