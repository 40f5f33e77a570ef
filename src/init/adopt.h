/*
 * `viv adopt DIR`: a release that brings its own runtime, DIR/erts-VSN, runs on viv from then on; `--undo` gives it
 * back.
 *
 * Nothing of it is lost: the stock emulator becomes bin/beam.smp.stock, and what is added, bin/viv and ebin, goes with
 * --undo. The name bin/beam.smp is one or the other at every moment, so that the release may be started meanwhile; what
 * runs already keeps the file that it has. All that is needed is looked for first: a refusal changes nothing.
 */
#ifndef VIV_INIT_ADOPT_H
#define VIV_INIT_ADOPT_H

/* `arguments`: what follows `adopt`, ended by NULL. Gives the exit status. */
int adopt_command(char **arguments);

#endif
