/*
 * What gdb is told of native code, by its JIT interface: for each block a file in memory with a symbol for each range,
 * and how to unwind from there: native code has the frame of emu_run, which its handlers were called from (and while it
 * calls C perhaps a word more, which is not told). Source: the manual of GDB, "JIT Compilation Interface"; System V
 * ABI, ELF-64 and "Exception Frames" (LSB).
 *
 * The list that gdb reads is written under LOCK_GDB_FILES.
 */
#ifndef VIV_JIT_GDB_H
#define VIV_JIT_GDB_H

#include "jit/names.h"

struct GdbFile;
/* Both hand the list to gdb, if one is attached. */
struct GdbFile *gdb_tell(const NativeRanges *ranges);
void gdb_forget(struct GdbFile *file);

#endif
