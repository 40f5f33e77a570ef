/*
 * +sct, +ssrct, +sbt and +stbt: the processors as the user has them, and how schedulers are bound to them
 * (sched/binding.h). Source: erl(1); what OTP 25 refuses, and how it says so.
 */
#ifndef VIV_INIT_BINDING_FLAGS_H
#define VIV_INIT_BINDING_FLAGS_H

#include "init/settings.h"
#include "term/text.h"

/* False: it cannot be, and `why` gets the refusal, in stock's words. */

/* What +sct says becomes the settings' topology, in place of the one before. */
must_check bool topology_flag(Settings *settings, const char *value, Text *why);
/* One of the types of +sbt, or of +stbt, which must not be done. The settings keep its name. */
must_check bool bind_type_flag(Settings *settings, const char *name, bool must_bind, Text *why);
/* Can schedulers be bound that must be? Detects what there is, if need be. */
must_check bool bind_check(const Settings *settings, Text *why);

/* When the parts are there: what the settings say. */
void binding_settle(const Settings *settings);

#endif
