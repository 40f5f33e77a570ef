/*
 * What models of processes and their signals leave out: long work, the system monitor, traces, the flight recorder.
 * Included behind the sources of the model, once.
 */
__thread __typeof__(long_work_here) long_work_here;
__typeof__(the_system_monitor) the_system_monitor;
__typeof__(the_trace_epoch) the_trace_epoch;
__typeof__(trace_points) trace_points;
__typeof__(the_recorded) the_recorded;
void recorder_message(const Process *p, RecordKind kind, Term other, Term message) {}
unsigned long_work_round(unsigned units_each) { return LONG_WORK_ROUND; }
void long_work_round_is_over(void) {}
