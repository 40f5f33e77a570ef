/*
 * The stock boot: the modules that the stock runtime has within itself come from the files of the OTP that it boots,
 * the stock system processes start, and the stock `init` does the rest, from a boot file. `viv erl`, and viv under the
 * name `beam.smp`, as it lies in an installed root.
 */
#ifndef VIV_INIT_NODE_H
#define VIV_INIT_NODE_H

#include "init/node_args.h"

/* The runtime ends by halt. */
_Noreturn void node_run(const NodeArgs *args);

#endif
