/*
 * What tracing does when code is published: fills code/breakpoint.h's hooks, and the one of replace/code_permission.h.
 * Once at start.
 */
#ifndef VIV_TRACE_PUBLISH_H
#define VIV_TRACE_PUBLISH_H

void trace_publish_install(void);

#endif
