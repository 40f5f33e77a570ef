/* The room's door: fills the trace points of process/. Once at start, before any process runs. */
#ifndef VIV_TRACE_INSTALL_H
#define VIV_TRACE_INSTALL_H

void trace_install(void);

#endif
