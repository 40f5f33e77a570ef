/*
 * The native functions of tracer modules (process/tracer.h), as the current instance of each has them.
 *
 * They are looked up when an instance is first asked for them, and noted in the instance (ModuleInstance.tracer): the
 * headers of the functions, native or not, since a library may be loaded later. The note is made by whoever is first,
 * with one compare and swap, and freed with the instance. Callers are online for thread progress, so the instance that
 * they find stays, with its library, until they have returned.
 */
#ifndef VIV_PROCESS_TRACER_FUNCTIONS_H
#define VIV_PROCESS_TRACER_FUNCTIONS_H

#include "process/tracer.h"

typedef enum { TRACER_ENABLED, TRACER_TELL, TRACER_FUNCTIONS } TracerFunction;

/* The topic's callback, and whose callback has that name. False: nobody's. */
Term tracer_function_name(TracerTopic topic, TracerFunction which);
bool tracer_topic_named(Term name, TracerFunction which, TracerTopic *topic);

/* Is the module loaded, with enabled/3 and trace/5 native? */
bool tracer_functions_are_there(Term module);
/* Calls the topic's function, or the one of TOPIC_ANY when it is not native. NON_VALUE: that is not native either, or
 * what was returned is no immediate term. */
Term tracer_function_call(Term module, TracerTopic topic, TracerFunction which, struct Process *self,
                          const Term *arguments);

#endif
