/*
 * The names of trace flags: one table for trace/3, trace_info/2 and match specifications.
 * Source: erlang(3) trace/3; the order of trace_info's answer is OTP 25's.
 */
#ifndef VIV_TRACE_FLAGS_H
#define VIV_TRACE_FLAGS_H

#include "process/trace_point.h"

/* 0 when it is no flag of a process: cpu_timestamp is the node's (process/time_stamp.h). */
uint32_t trace_flag(Term name);
/* The list of the flags' names. */
Term trace_flag_list(Area *area, uint32_t flags);

#endif
