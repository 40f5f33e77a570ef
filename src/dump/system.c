#include "dump/sections.h"

#include <sys/prctl.h>
#include <time.h>

#include "alloc/alloc.h"
#include "bif/system/system_info.h"
#include "bif/system/system_text.h"
#include "code/export.h"
#include "dump/processes.h"
#include "nif/library.h"
#include "process/dump.h"
#include "process/process_table.h"
#include "process/registry.h"
#include "process/run_queue.h"
#include "sched/scheduler.h"
#include "term/atom.h"
#include "term/print.h"

/* Of the calendar, in local time: C's own functions for that read files. */
static void put_date(Text *to) {
    char date[64];
    time_t now = time(NULL);
    struct tm parts;
    if (localtime_r(&now, &parts) != NULL && strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", &parts) > 0)
        text_string(to, date);
    text_byte(to, '\n');
}

typedef struct {
    Text *to;
    const char *before;
} Names;

static void put_name(Term module, void *data) {
    Names *n = data;
    text_string(n->to, n->before);
    print_atom(n->to, module);
    n->before = ",";
}

static void put_taints(Text *to) {
    Names n = {to, ""};
    text_string(to, "Taints: ");
    nif_library_each_module_alone(put_name, &n);
    text_byte(to, '\n');
}

static void put_thread(Text *to) {
    char name[16] = "";
    const RunQueue *rq = run_queue_self();
    prctl(PR_GET_NAME, name);
    if (rq != NULL)
        text_format(to, "Calling Thread: scheduler:%u\n", rq->index + 1);
    else
        text_format(to, "Calling Thread: %s\n", name);
}

void dump_head(Text *to, const char *slogan, size_t bytes) {
    text_string(to, "=erl_crash_dump:0.5\n");
    put_date(to);
    text_string(to, "Slogan: ");
    text_bytes(to, slogan, bytes);
    text_string(to, "\nSystem version: ");
    system_version_text(to);
    put_taints(to);
    text_format(to, "Atoms: %zu\n", atom_count());
    put_thread(to);
}

/* --- schedulers -------------------------------------------------------------------------------------------------- */

/* The one that runs on that scheduler, as far as is known; NULL: none. */
static Process *process_on(const RunQueue *rq) {
    size_t used = process_table_used();
    for (size_t slot = 0; slot < used; slot++) {
        Process *p = process_table_at(slot);
        if (p != NULL && (atomic_load(&p->state) & STATE_RUNNING) != 0 &&
            atomic_load_explicit(&p->home_queue, memory_order_relaxed) == rq->index)
            return p;
    }
    return NULL;
}

static void put_current(Text *to, const Process *p) {
    text_string(to, "Current Process: ");
    if (p != NULL)
        print_term(to, p->pid);
    text_byte(to, '\n');
    if (p == NULL)
        return;
    dump_state(to, p, true, "Current Process ");
    dump_internal_state(to, p, true, "Current Process ");
    text_format(to, "Current Process Program counter: 0x%016lx (", (unsigned long)(uintptr_t)p->ip);
    dump_code_place(to, process_place(p));
    text_string(to, ")\nCurrent Process Limited Stack Trace:\n");
    dump_return_addresses(to, p);
}

static void put_sleep(Text *to, bool sleeps) {
    text_format(to, "Scheduler Sleep Info Flags: %s\nScheduler Sleep Info Aux Work: \n",
                sleeps ? "SLEEPING | TSE_SLEEPING | WAITING" : "");
}

/* NULL: they are not known. */
static void put_queue(Text *to, const uint32_t counts[PRIORITY_COUNT]) {
    static const char *const names[] = {"Max", "High", "Normal", "Low"};
    for (unsigned i = 0; i < PRIORITY_COUNT && counts != NULL; i++)
        text_format(to, "Run Queue %s Length: %u\n", names[i], counts[i]);
    text_string(to, "Run Queue Port Length: 0\nRun Queue Flags: ");
}

static void put_scheduler(Text *to, RunQueue *rq) {
    uint32_t counts[PRIORITY_COUNT];
    bool is_counted = run_queue_try_counts(rq, counts);
    bool sleeps = atomic_load_explicit(&rq->is_sleeping, memory_order_relaxed);
    text_format(to, "=scheduler:%u\n", rq->index + 1);
    put_sleep(to, sleeps);
    text_string(to, "Current Port: \n");
    put_queue(to, is_counted ? counts : NULL);
    text_format(to, "%s%s\n", run_queue_has_work(rq) ? "NONEMPTY" : "OUT_OF_WORK", sleeps ? "" : " | EXEC");
    put_current(to, process_on(rq));
}

/* Which process such a thread has is not known here. */
static void put_dirty(Text *to, const char *kind, unsigned count, unsigned first) {
    for (unsigned i = 0; i < count; i++) {
        text_format(to, "=dirty_%s_scheduler:%u\n", kind, first + i);
        put_sleep(to, false);
        text_string(to, "Current Process: \n");
    }
    text_format(to, "=dirty_%s_run_queue\n", kind);
    put_queue(to, (uint32_t[PRIORITY_COUNT]){0});
    text_byte(to, '\n');
}

void dump_schedulers(Text *to) {
    const SchedulerOptions *o = schedulers_options();
    for (unsigned i = 0; i < run_queue_count(); i++)
        put_scheduler(to, run_queue_at(i));
    put_dirty(to, "cpu", o->dirty_cpu, o->schedulers + 1);
    put_dirty(to, "io", o->dirty_io, o->schedulers + o->dirty_cpu + 1);
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

static void put_areas(Text *to) {
    size_t used, total;
    atom_memory(&used, &total);
    text_string(to, "=allocated_areas\n");
    for (int type = 0; type < ALLOC_TYPE_COUNT; type++)
        text_format(to, "%s: %lld\n", alloc_type_info[type].name, (long long)alloc_sum((AllocType)type).bytes);
    text_format(to, "atom_space: %zu %zu\n", total, used);
}

void dump_memory(Text *to) {
    text_string(to, "=memory\n");
    put_memory_text(to);
    text_format(to, "=index_table:atom_tab\nsize: %zu\nlimit: %zu\nentries: %zu\n", atom_count(), atom_limit(),
                atom_count());
    text_format(to, "=index_table:export_list\nentries: %zu\n", export_count());
    text_format(to, "=hash_table:process_reg\nobjs: %zu\n", registry_count());
    put_areas(to);
}
