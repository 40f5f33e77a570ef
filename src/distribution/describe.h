/*
 * Other nodes as text, in the form of crash dumps: for the dump, the menu of a break and system_info(dist).
 *
 * What is told of a channel's ties is its own (distribution/channel.h): it is told only when all other threads stand
 * still, for good. Otherwise any thread that may look pids up. Source: ERTS user's guide, "How to interpret the Erlang
 * crash dumps", "Distribution information".
 */
#ifndef VIV_DISTRIBUTION_DESCRIBE_H
#define VIV_DISTRIBUTION_DESCRIBE_H

#include "term/text.h"

/* From "=node:" on. Allocates nothing but the text. */
void distribution_text(Text *to);
/* The same with links and monitors, by the one thread that goes on. */
void distribution_text_alone(Text *to);

#endif
