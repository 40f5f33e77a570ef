/*
 * Which OTP release and which version of its runtime this program stands for: what programs and native libraries are
 * told, and what it does as that release does (releases.tab). Set once at start, before any other thread runs, and
 * never again: readers need no order. The texts end with NUL.
 */
#ifndef VIV_SYS_RELEASE_H
#define VIV_SYS_RELEASE_H

#include "release_traits.h"

#include <stdbool.h>

#define RELEASE_TEXT_MAX 32
extern char otp_release[RELEASE_TEXT_MAX], erts_version[RELEASE_TEXT_MAX];
extern int otp_release_number;

/* To be called when otp_release has been set; the other is for tests. */
void release_choose(void);
void release_choose_number(int release);

extern bool release_traits[RELEASE_TRAIT_COUNT];
static inline bool release_has(ReleaseTrait trait) { return release_traits[trait]; }

#endif
