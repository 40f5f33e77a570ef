/*
 * The start: every part in order of its floor, then the hook tables, then the modules that are part of the program,
 * then the first process, then the threads.
 */
#ifndef VIV_INIT_BOOT_H
#define VIV_INIT_BOOT_H

#include "init/args.h"
#include "init/otp_root.h"

/* Runs the program; the runtime ends by halt. */
_Noreturn void boot_run(const Args *args, const OtpRoot *otp);

#endif
