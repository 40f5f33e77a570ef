/*
 * `viv adopt DIR`: a release that brings its own runtime, DIR/erts-VSN, runs on viv from then on; `--undo` gives it
 * back.
 *
 * Nothing of it is lost. What was bin/NAME becomes bin/NAME.stock: the emulator, beam.smp, and programs that are links
 * out of the release, of which copies are made; so do `viv` and `preloaded`, which are added, where the release has
 * them. --undo needs to know nothing else. A file is one or the other at every moment, so that the release may be
 * started meanwhile; what runs already keeps the file that it has. All that is needed is looked for first, and what
 * fails later is undone: a refusal changes nothing. bin/beam.smp.stock is there as long as the release is adopted.
 */
#ifndef VIV_INIT_ADOPT_H
#define VIV_INIT_ADOPT_H

/* `arguments`: what follows `adopt`, ended by NULL. Gives the exit status. */
int adopt_command(char **arguments);

#endif
