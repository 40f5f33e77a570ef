#include "explore.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_BYTES (256u << 10)
#define ARENA_BYTES (1u << 20)
#define CHOICES_MAX 20000
#define STEPS_MAX 5000 /* of one execution: beyond it does not end */
#define STEPS_SHOWN 150
#define OBJECTS (1u << 14)

typedef enum { NEW, READY, ASLEEP, ENDED } State;

typedef struct {
    State state;
    jmp_buf context;
    ucontext_t start;
    void (*run)(void);
    char *arena;
    size_t arena_used;
    /* What it is about to do */
    uintptr_t object; /* 0: nothing that others notice */
    bool is_write;
    bool (*may)(uintptr_t object);
    const char *what;
    /* Of thread_yield */
    bool awaits;
    uintptr_t loaded;
    unsigned loaded_size;
    uint64_t loaded_store;
    /* Of thread_sleep */
    uintptr_t word;
    int64_t deadline;
    uint64_t asleep_since; /* a number, rising */
    bool is_late;
} Thread;

typedef struct {
    uint32_t count, chosen;
} Choice;

/* Who ever touched an object, in all executions so far: a bit for each thread. */
typedef struct {
    uintptr_t object;
    uint8_t readers, writers;
    bool is_relied_on;
} Object;

/* For reports */
typedef struct {
    const char *what;
    uintptr_t caller, object;
    uint64_t value, from;
    int order;
    uint8_t thread;
} Step;

/* How an execution came to its end: what longjmp gives. */
#include "memory.h"
enum { BEGUN, OVER, SEEN_BEFORE, FAILED };

unsigned self;
uintptr_t trace_caller[MODEL_THREADS];

static Thread threads[MODEL_THREADS];
static const ModelCase *the_case;
static bool is_running; /* the threads, not setup or end */
static int64_t now;
static uint64_t sleeps;

static Choice choices[CHOICES_MAX];
static unsigned depth, replayed; /* choices of this execution; those given by the last one */
static Object objects[OBJECTS];
static bool knows_more; /* than what was relied on */
static uint64_t *visited;
static size_t visited_count, visited_size;
static unsigned last_run;
static ModelBounds used, bounds;
static Step steps[STEPS_MAX];
static unsigned step_count;
static uint32_t outcomes;
static uint64_t executions;

unsigned model_self(void) { return self; }
int64_t model_now(void) {
    arrive((uintptr_t)&now, false);
    memory_step(20, (uint64_t)now);
    return now;
}
void model_advance(int64_t to) {
    arrive((uintptr_t)&now, true);
    now = to > now ? to : now;
    memory_step(21, (uint64_t)now);
    trace_step("sets the clock to", 0, (uint64_t)now, ORDER_NONE, 0);
}

void *arena_alloc(size_t bytes, size_t alignment) {
    Thread *t = &threads[self];
    size_t at = (t->arena_used + alignment - 1) & ~(alignment - 1);
    t->arena_used = at + ((bytes + 7) & ~(size_t)7);
    if (t->arena_used > ARENA_BYTES)
        model_fail("a thread takes too much memory");
    return t->arena + at;
}

/* --- reports ----------------------------------------------------------------------------------------------------- */

void trace_step(const char *what, uintptr_t object, uint64_t value, int order, uint64_t from) {
    if (step_count == STEPS_MAX)
        model_fail("it does not end");
    steps[step_count++] = (Step){what, trace_caller[self], object, value, from, order, (uint8_t)self};
}

/* The source of an address of the program: by the tool that knows. */
static void ask_source(uintptr_t caller, char *function, char *place) {
    char command[100], line[200];
    snprintf(command, sizeof command, "addr2line -s -f -e /proc/%d/exe 0x%lx 2>/dev/null", (int)getpid(), caller - 1);
    FILE *in = popen(command, "r");
    if (in && fgets(line, sizeof line, in))
        sscanf(line, "%59s", function);
    if (in && fgets(line, sizeof line, in))
        sscanf(line, "%59s", place);
    if (in)
        pclose(in);
}

static void print_source(uintptr_t caller) {
    static struct {
        uintptr_t caller;
        char function[60], place[60];
    } asked[64];
    unsigned i = 0;
    while (i < 63 && asked[i].caller && asked[i].caller != caller)
        i++;
    if (asked[i].caller != caller) {
        asked[i].caller = caller;
        ask_source(caller, asked[i].function, asked[i].place);
    }
    printf("  in %s (%s)\n", asked[i].function, asked[i].place);
}

static void print_step(const Step *s) {
    static const char *const orders[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    printf("      T%d %s", s->thread, s->what);
    if (s->object)
        printf(" [..%05lx]", s->object & 0xfffff);
    printf(" %#lx", s->value);
    if (s->order != ORDER_NONE)
        printf(", %s", orders[s->order]);
    if (s->from)
        printf(", from T%lu", s->from >> 32);
    print_source(s->caller);
}

void model_fail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    printf("    T%u: ", self);
    vprintf(format, args);
    va_end(args);
    printf("\n    after %u steps:\n", step_count);
    for (unsigned i = step_count > STEPS_SHOWN ? step_count - STEPS_SHOWN : 0; i < step_count; i++)
        print_step(&steps[i]);
    for (unsigned t = 1; is_running && t < MODEL_THREADS && the_case->threads[t - 1]; t++)
        if (threads[t].state != ENDED)
            printf("    T%u: %s\n", t, threads[t].state == ASLEEP ? "sleeps" : threads[t].what);
    fflush(stdout);
    _longjmp(threads[0].context, FAILED);
}

/* --- choices ----------------------------------------------------------------------------------------------------- */

unsigned choose(unsigned count) {
    if (count <= 1)
        return 0;
    if (depth == CHOICES_MAX)
        model_fail("it does not end: too many choices");
    Choice *c = &choices[depth];
    if (depth >= replayed)
        *c = (Choice){.count = count};
    else if (c->count != count)
        model_fail("the model is not deterministic: %u ways, %u before", count, c->count);
    depth++;
    return c->chosen;
}

unsigned choose_store(unsigned count) {
    if (bounds.stale >= 0 && used.stale >= bounds.stale)
        return 0;
    unsigned chosen = choose(count);
    used.stale += chosen > 0;
    return chosen;
}

/* On to the next combination of choices; false when all were taken. */
static bool next_choices(void) {
    while (depth > 0 && choices[depth - 1].chosen + 1 == choices[depth - 1].count)
        depth--;
    if (depth == 0)
        return false;
    choices[depth - 1].chosen++;
    replayed = depth;
    return true;
}

static void visited_grow(void) {
    uint64_t *old = visited;
    size_t old_size = visited_size;
    visited_size = old_size ? 2 * old_size : 1u << 16;
    visited = calloc(visited_size, sizeof *visited);
    for (size_t i = 0; i < old_size; i++)
        if (old[i]) {
            size_t at = old[i] & (visited_size - 1);
            while (visited[at])
                at = (at + 1) & (visited_size - 1);
            visited[at] = old[i];
        }
    free(old);
}

/* False: it was there. */
static bool visited_add(uint64_t state) {
    if (2 * visited_count >= visited_size)
        visited_grow();
    state += !state;
    size_t at = state & (visited_size - 1);
    while (visited[at] && visited[at] != state)
        at = (at + 1) & (visited_size - 1);
    if (visited[at] == state)
        return false;
    visited[at] = state;
    visited_count++;
    return true;
}

/* --- who touches what -------------------------------------------------------------------------------------------- */

static Object *object_of(uintptr_t address) {
    size_t at = hash_mix(address, 3) & (OBJECTS - 1);
    while (objects[at].object && objects[at].object != address)
        at = (at + 1) & (OBJECTS - 1);
    objects[at].object = address;
    return &objects[at];
}

static void learn(uintptr_t address, bool is_write) {
    Object *o = object_of(address);
    uint8_t *who = is_write ? &o->writers : &o->readers, bit = (uint8_t)(1u << self);
    if (*who & bit)
        return;
    *who |= bit;
    knows_more |= o->is_relied_on;
}

void explore_again(void) { knows_more = true; }

/* Does no other thread that is still there touch what it is about to? */
static bool is_alone(unsigned number) {
    const Thread *t = &threads[number];
    if (t->object == 0)
        return true;
    if (t->state == ASLEEP)
        return false;
    Object *o = object_of(t->object);
    unsigned who = o->writers | (t->is_write ? o->readers : 0);
    for (unsigned other = 1; other < MODEL_THREADS; other++)
        if (other != number && threads[other].state != ENDED && (who >> other & 1))
            return false;
    o->is_relied_on = true;
    return true;
}

/* --- threads ----------------------------------------------------------------------------------------------------- */

static bool may_go(const Thread *t) {
    if (t->state == NEW)
        return true;
    if (t->state != READY)
        return false;
    if (t->awaits && t->object == t->loaded && memory_newest(t->loaded, t->loaded_size) == t->loaded_store)
        return false;
    return !t->may || t->may(t->object);
}

static bool may_time_out(const Thread *t) { return t->state == ASLEEP && t->deadline >= 0; }

/* Of those that sleep until some time: no other's comes earlier. */
static bool is_first_late(unsigned number) {
    for (unsigned t = 1; t < MODEL_THREADS; t++)
        if (may_time_out(&threads[t]) && threads[t].deadline < threads[number].deadline)
            return false;
    return true;
}

static uint64_t state_name(void) {
    uint64_t name = hash_mix(memory_hash, 7);
    if (bounds.preemptions >= 0)
        name = hash_mix(name, (uint64_t)used.preemptions << 8 | last_run);
    return bounds.stale >= 0 ? hash_mix(name, (uint64_t)used.stale) : name;
}

static _Noreturn void leave_execution(int how) { _longjmp(threads[0].context, how); }

static _Noreturn void nobody_may_go(void) {
    for (unsigned t = 1; t < MODEL_THREADS; t++)
        if (threads[t].state == READY || threads[t].state == ASLEEP)
            model_fail("nobody can go on");
    leave_execution(OVER);
}

/* Those who may go on, the one that ran last first; and at the end those whose sleep may end by time. */
static unsigned candidates(unsigned *who) {
    unsigned count = 0;
    if (last_run && may_go(&threads[last_run]))
        who[count++] = last_run;
    bool is_bound = count > 0 && bounds.preemptions >= 0 && used.preemptions >= bounds.preemptions;
    for (unsigned t = 1; t < MODEL_THREADS && !is_bound; t++)
        if (t != last_run && may_go(&threads[t]))
            who[count++] = t;
    is_bound |= count > 0 && the_case->clock_waits;
    for (unsigned t = 1; t < MODEL_THREADS && !is_bound; t++)
        if (may_time_out(&threads[t]) && (!the_case->clock_waits || is_first_late(t)))
            who[count++] = t;
    return count;
}

static unsigned pick(void) {
    for (unsigned t = 1; t < MODEL_THREADS; t++)
        if (may_go(&threads[t]) && is_alone(t))
            return t;
    unsigned who[2 * MODEL_THREADS], count = candidates(who);
    if (count == 0)
        nobody_may_go();
    if (depth >= replayed && !visited_add(state_name()))
        leave_execution(SEEN_BEFORE);
    bool could_go_on = last_run && may_go(&threads[last_run]);
    unsigned picked = who[choose(count)];
    used.preemptions += could_go_on && picked != last_run;
    last_run = picked;
    return picked;
}

static void go_on(Thread *t) {
    if (t->state == ASLEEP) {
        t->is_late = true;
        now = t->deadline > now ? t->deadline : now;
    }
    bool is_new = t->state == NEW;
    t->state = READY;
    if (is_new)
        setcontext(&t->start);
    else
        _longjmp(t->context, 1);
}

/* The calling thread has said what it is about to do, if anything. */
static void yield_to_others(void) {
    Thread *me = &threads[self];
    unsigned next = pick();
    if (next == self && me->state == READY)
        return;
    if (_setjmp(me->context) == 0) {
        self = next;
        go_on(&threads[next]);
    }
}

void arrive_when(uintptr_t object, bool (*may)(uintptr_t object), const char *what) {
    if (!is_running)
        return;
    Thread *me = &threads[self];
    learn(object, true);
    me->object = object;
    me->is_write = true;
    me->may = may;
    me->what = what;
    yield_to_others();
    me->awaits = false;
}

void arrive(uintptr_t object, bool is_write) {
    if (!is_running)
        return;
    Thread *me = &threads[self];
    learn(object, is_write);
    me->object = object;
    me->is_write = is_write;
    me->may = NULL;
    me->what = "waits for a change";
    yield_to_others();
}

void thread_has_loaded(uintptr_t object, unsigned size) {
    Thread *me = &threads[self];
    me->awaits = false;
    me->loaded = object;
    me->loaded_size = size;
    me->loaded_store = memory_read_last;
}

void thread_yield(void) { threads[self].awaits = is_running && threads[self].loaded != 0; }
bool thread_must_see_newest(uintptr_t object) { return threads[self].awaits && threads[self].loaded == object; }

bool thread_sleep(uintptr_t word, int64_t deadline) {
    Thread *me = &threads[self];
    me->word = word;
    me->deadline = deadline;
    me->is_late = false;
    me->asleep_since = ++sleeps;
    me->state = ASLEEP;
    memory_step(10, word);
    trace_step("sleeps", word, (uint64_t)deadline, ORDER_NONE, 0);
    yield_to_others();
    memory_step(11, me->is_late ? (uint64_t)now : 0);
    trace_step(me->is_late ? "wakes, late," : "wakes", word, 0, ORDER_NONE, 0);
    return !me->is_late;
}

void thread_wake(uintptr_t word, unsigned count) {
    for (; count > 0; count--) {
        Thread *first = NULL;
        for (Thread *t = threads; t < threads + MODEL_THREADS; t++)
            if (t->state == ASLEEP && t->word == word && (!first || t->asleep_since < first->asleep_since))
                first = t;
        if (!first)
            return;
        first->state = READY;
        first->object = 0;
        first->may = NULL;
        memory_step(12, hash_mix(word, (uint64_t)(first - threads)));
    }
}

static void thread_main(void) {
    threads[self].run();
    memory_step(13, 0);
    threads[self].state = ENDED;
    unsigned next = pick();
    self = next;
    go_on(&threads[next]);
    abort();
}

static void thread_prepare(Thread *t) {
    if (!t->arena) {
        t->arena = calloc(1, ARENA_BYTES);
        getcontext(&t->start);
        t->start.uc_stack.ss_sp = malloc(STACK_BYTES);
        t->start.uc_stack.ss_size = STACK_BYTES;
        makecontext(&t->start, thread_main, 0);
    }
    t->arena_used = 0;
}

/* --- executions -------------------------------------------------------------------------------------------------- */

static void begin(void) {
    memory_reset();
    depth = step_count = last_run = 0;
    self = 0;
    used = (ModelBounds){0, 0};
    is_running = false;
    now = 0;
    sleeps = 0;
    runtime_reset();
    for (unsigned t = 0; t < MODEL_THREADS; t++) {
        Thread *it = &threads[t];
        thread_prepare(it);
        it->state = ENDED;
        it->object = it->loaded = 0;
        it->awaits = false;
    }
    if (the_case->setup)
        the_case->setup();
    memory_step(14, 0);
    for (unsigned t = 1; t < MODEL_THREADS && the_case->threads[t - 1]; t++) {
        threads[t].state = NEW;
        threads[t].run = the_case->threads[t - 1];
        clock_join(&known[t].past, &known[0].past);
    }
}

static void end(void) {
    is_running = false;
    self = 0;
    for (unsigned t = 1; t < MODEL_THREADS; t++)
        clock_join(&known[0].past, &known[t].past);
    if (the_case->end)
        the_case->end();
    executions++;
}

static int execute(void) {
    int how = _setjmp(threads[0].context);
    if (how == BEGUN) {
        begin();
        is_running = true;
        self = pick();
        go_on(&threads[self]);
    }
    if (how == OVER)
        end();
    return how;
}

static void forget_states(void) {
    free(visited);
    visited = NULL;
    visited_count = visited_size = 0;
    outcomes = 0;
    executions = 0;
    depth = replayed = 0;
}

void model_outcome(unsigned outcome) { outcomes |= MODEL_OUTCOME(outcome); }

/* Those that occurred are those that were to occur. */
static bool outcomes_are_right(void) {
    if (the_case->outcomes == 0)
        return true;
    for (unsigned i = 0; i < 32; i++)
        if ((outcomes ^ the_case->outcomes) & MODEL_OUTCOME(i))
            printf("    outcome %u was %s\n", i, outcomes & MODEL_OUTCOME(i) ? "seen" : "never seen");
    return outcomes == the_case->outcomes;
}

static bool run_case(const ModelCase *c) {
    const char *deep = getenv("DEEP"); /* as tools/run_tests sets it */
    bool is_deep = deep != NULL && *deep != '\0';
    the_case = c;
    bounds = is_deep ? c->deep_bounds : c->bounds;
    memset(objects, 0, sizeof objects);
    forget_states();
    knows_more = false;
    printf("[ RUN      ] %s\n", c->name);
    do {
        if (execute() == FAILED)
            return false;
        if (knows_more) {
            knows_more = false;
            forget_states();
            depth = 0;
            continue;
        }
        if (!next_choices())
            break;
    } while (true);
    bool right = outcomes_are_right();
    printf("    %lu executions, %zu states: all", executions, visited_count);
    if (bounds.preemptions >= 0)
        printf(" with at most %d preemptions", bounds.preemptions);
    if (bounds.stale >= 0)
        printf("%s at most %d stale reads", bounds.preemptions >= 0 ? " and" : " with", bounds.stale);
    printf("\n");
    return right;
}

/* What a mutant frees or does not make, another of its threads follows. */
static void no_such_memory(int signal) { model_fail("accesses memory that is not there"); }

int model_run(const ModelCase *cases, size_t count) {
    sigaction(SIGSEGV, &(struct sigaction){.sa_handler = no_such_memory, .sa_flags = SA_NODEFER}, NULL);
    for (size_t i = 0; i < count; i++) {
        bool ok = run_case(&cases[i]);
        printf("[  %s ] %s\n", ok ? "     OK" : "FAILED ", cases[i].name);
        fflush(stdout);
        if (!ok) {
            printf("1 FAILED TEST(S)\n");
            return 1;
        }
    }
    return 0;
}
