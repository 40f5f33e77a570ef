/*
 * +sct, +ssrct, +sbt and +stbt: the processors as the user has them, and how schedulers are bound to them
 * (sched/binding.h). Source: erl(1); what OTP 25 refuses, and how it says so.
 */
#ifndef VIV_INIT_BINDING_FLAGS_H
#define VIV_INIT_BINDING_FLAGS_H

#include "init/settings.h"

/* What +sct says becomes the settings' topology, in place of the one before. NULL, or why it cannot, in stock's
 * words. */
const char *topology_flag(Settings *settings, const char *text);
/* One of the types of +sbt. False: there is no such type. */
must_check bool bind_type_flag(Settings *settings, const char *name);
/* May schedulers be bound by these settings? Detects what there is, if need be. */
bool bind_is_possible(const Settings *settings);
/* When the parts are there: what the settings say. */
void binding_settle(const Settings *settings);

#endif
