#include "process/tracer_functions.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "code/module.h"
#include "code/native_call.h"
#include "term/atom.h"

/* Each may be NULL. */
typedef struct TracerFunctions {
    const FunctionHeader *function[TRACER_FUNCTIONS][TOPIC_COUNT];
} TracerFunctions;

static const struct {
    Term name[TRACER_FUNCTIONS];
} names[TOPIC_COUNT] = {
    [TOPIC_ANY] = {{am_enabled, am_trace}},
    [TOPIC_CALL] = {{am_enabled_call, am_trace_call}},
    [TOPIC_GARBAGE_COLLECTION] = {{am_enabled_garbage_collection, am_trace_garbage_collection}},
    [TOPIC_PORTS] = {{am_enabled_ports, am_trace_ports}},
    [TOPIC_PROCS] = {{am_enabled_procs, am_trace_procs}},
    [TOPIC_RECEIVE] = {{am_enabled_receive, am_trace_receive}},
    [TOPIC_RUNNING_PORTS] = {{am_enabled_running_ports, am_trace_running_ports}},
    [TOPIC_RUNNING_PROCS] = {{am_enabled_running_procs, am_trace_running_procs}},
    [TOPIC_SEND] = {{am_enabled_send, am_trace_send}},
};
static const Word arities[TRACER_FUNCTIONS] = {[TRACER_ENABLED] = 3, [TRACER_TELL] = 5};

Term tracer_function_name(TracerTopic topic, TracerFunction which) { return names[topic].name[which]; }

bool tracer_topic_named(Term name, TracerFunction which, TracerTopic *topic) {
    for (unsigned i = 0; i < TOPIC_COUNT; i++)
        if (names[i].name[which] == name) {
            *topic = (TracerTopic)i;
            return true;
        }
    return false;
}

static void note(TracerFunctions *f, const FunctionHeader *h) {
    for (unsigned topic = 0; topic < TOPIC_COUNT; topic++)
        for (unsigned which = 0; which < TRACER_FUNCTIONS; which++)
            if (h->function == names[topic].name[which] && h->arity == arities[which])
                f->function[which][topic] = h;
}

static noinline const TracerFunctions *look_up(ModuleInstance *instance) {
    TracerFunctions *made = mem_calloc(ALLOC_CODE, sizeof *made), *there = NULL;
    for (uint32_t i = 0; i < instance->function_count; i++)
        note(made, instance_function(instance, i));
    if (atomic_compare_exchange_strong(&instance->tracer, &there, made))
        return made;
    mem_free(ALLOC_CODE, made);
    return there;
}

static const TracerFunctions *functions_of(Term module) {
    const Module *m = module_find(module);
    ModuleInstance *instance = m != NULL ? module_current(m) : NULL;
    if (instance == NULL)
        return NULL;
    const TracerFunctions *f = atomic_load_explicit(&instance->tracer, memory_order_acquire);
    return likely(f != NULL) ? f : look_up(instance);
}

static const NativeCall *native_of(const FunctionHeader *h) {
    return h != NULL && function_is_native(h) ? __atomic_load_n(&h->native, __ATOMIC_ACQUIRE) : NULL;
}

bool tracer_functions_are_there(Term module) {
    const TracerFunctions *f = functions_of(module);
    return f != NULL && native_of(f->function[TRACER_ENABLED][TOPIC_ANY]) != NULL &&
           native_of(f->function[TRACER_TELL][TOPIC_ANY]) != NULL;
}

Term tracer_function_call(Term module, TracerTopic topic, TracerFunction which, struct Process *self,
                          const Term *arguments) {
    const TracerFunctions *f = functions_of(module);
    if (f == NULL)
        return NON_VALUE;
    const NativeCall *native = native_of(f->function[which][topic]);
    if (native == NULL)
        native = native_of(f->function[which][TOPIC_ANY]);
    race_window("a tracer's function is found, and not yet called");
    return native != NULL ? native->observe(self, arguments, native) : NON_VALUE;
}
