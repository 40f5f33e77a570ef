/*
 * Places in the program that the linker names: compared with, never read.
 */
#ifndef VIV_BASE_PROGRAM_H
#define VIV_BASE_PROGRAM_H

/* The end of the program's own code and data. Native code lies between it and 2 GB. */
extern char end[];
/* The section of the engine's instructions (emu/interp.h). */
extern const char __start_viv_engine[], __stop_viv_engine[];

#endif
