#include "process/report.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "heap/copy.h"
#include "process/heap_figures.h"
#include "process/message.h"
#include "process/registry.h"
#include "process/stack_trace.h"
#include "process/timer.h"
#include "sys/clock.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/node.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/print.h"

static Term string_term(Area *area, const char *s) {
    Term list = NIL;
    for (size_t i = strlen(s); i-- > 0;)
        list = area_cons(area, small_make((unsigned char)s[i]), list);
    return list;
}

static Term list_term(Area *area, const Term *elements, unsigned count) {
    Term list = NIL;
    while (count-- > 0)
        list = area_cons(area, elements[count], list);
    return list;
}

typedef struct {
    Term level, tag;
    const char *title;
} ReportKind;
static const ReportKind kind_error = {am_error, am_error, "ERROR"};
static const ReportKind kind_warning = {am_warning, am_warning_msg, "WARNING"};

/* p NULL: nobody's. */
static Term metadata(Area *area, Process *p, Term tag) {
    Term source[] = {am_emulator, am_true, am_tag, tag};
    Term pairs[] = {
        am_error_logger, map_from_pairs(area, source, 2),   am_time, integer_from_int64(area, clock_real() / 1000),
        am_gl,           p == NULL ? NIL : p->group_leader, am_pid,  p == NULL ? NIL : p->pid,
    };
    return map_from_pairs(area, pairs, p == NULL ? 2 : 4);
}

static _Atomic Term system_logger = am_logger;

Term report_logger(void) { return atomic_load(&system_logger); }
Term report_set_logger(Term logger) { return atomic_exchange(&system_logger, logger); }

/* The process that gets reports: the one that was set, or the one registered as `logger`, whose turn it is again from
 * the first report on that finds the other one dead. */
static Term find_logger(void) {
    Term logger = atomic_load(&system_logger);
    if (is_local_pid(logger) && process_find(logger) == NULL &&
        atomic_compare_exchange_strong(&system_logger, &logger, am_logger))
        logger = am_logger;
    return is_local_pid(logger) ? logger : registry_whereis(am_logger);
}

static bool send_report(Process *p, const ReportKind *kind, const char *format, const Term *arguments, unsigned count) {
    Term logger = find_logger();
    if (atomic_load(&system_logger) == am_undefined)
        return true;
    if (!is_local_pid(logger) || (p != NULL && logger == p->pid && process_is_exiting(p)))
        return false;
    FragmentArea fa;
    fragment_area_init(&fa, 256);
    Area *area = &fa.area;
    Term *e = area_alloc(area, 6);
    e[0] = header_make(KIND_TUPLE, 5);
    e[1] = am_log;
    e[2] = kind->level;
    e[3] = string_term(area, format);
    e[4] = list_term(area, arguments, count);
    e[5] = metadata(area, p, kind->tag);
    Term report = boxed_make(e);
    Message *m = message_create(report, NON_VALUE, NIL);
    fragment_area_drop(&fa);
    if (signal_send(logger, &m->signal))
        return true;
    message_free(m);
    return false;
}

static void print_string(Text *to, Term list) {
    for (; is_list(list); list = list_tail(list))
        text_byte(to, (char)small_value(list_head(list)));
}

/* Directives: ~p and ~w print the next argument, ~s a string of characters, ~n ends the line. */
static void print_report(const ReportKind *kind, const char *format, const Term *arguments) {
    static const char *months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    TEXT(text);
    int64_t now = clock_real();
    time_t seconds = (time_t)(now / NANOSECONDS_PER_SECOND);
    struct tm local;
    localtime_r(&seconds, &local);
    text_format(&text, "=%s REPORT==== %d-%s-%d::%02d:%02d:%02d.%06d ===\n", kind->title, local.tm_mday,
                months[local.tm_mon], local.tm_year + 1900, local.tm_hour, local.tm_min, local.tm_sec,
                (int)(now % NANOSECONDS_PER_SECOND / 1000));
    for (const char *c = format; *c; c++) {
        if (*c != '~') {
            text_byte(&text, *c);
        } else if (*++c == 'n') {
            text_byte(&text, '\n');
        } else if (*c == 's') {
            print_string(&text, *arguments++);
        } else {
            print_term(&text, *arguments++);
        }
    }
    text_byte(&text, '\n');
    ssize_t ignored = write(2, text.bytes, text.size);
    (void)ignored;
}

static void report(Process *p, const ReportKind *kind, const char *format, const Term *arguments, unsigned count) {
    if (!send_report(p, kind, format, arguments, count))
        print_report(kind, format, arguments);
}

void report_error(Process *p, const char *format, const Term *arguments, unsigned count) {
    report(p, &kind_error, format, arguments, count);
}

void report_text(Process *p, const char *text) {
    Term argument = string_term(process_area(p), text);
    report_error(p, "~s~n", &argument, 1);
}

void report_of_runtime(const char *text) {
    FragmentArea fa;
    fragment_area_init(&fa, 512);
    Term argument = string_term(&fa.area, text);
    report(NULL, &kind_error, "~s~n", &argument, 1);
    fragment_area_drop(&fa);
}

void report_warning(Process *p, const char *message) {
    Term argument = string_term(process_area(p), message);
    report(p, &kind_warning, "~s~n", &argument, 1);
}

void report_crash(Process *p) {
    const Node *here = node_this();
    if (here->name == am_nonode_at_nohost)
        report_error(p, "Error in process ~p with exit value:~n~p~n", (Term[]){p->pid, p->exit_reason}, 2);
    else
        report_error(p, "Error in process ~p on node ~p with exit value:~n~p~n",
                     (Term[]){p->pid, here->name, p->exit_reason}, 3);
}

#define LIMIT_FORMAT                                                                                                   \
    "     Process:            ~p ~n     Context:            maximum heap size reached~n"                               \
    "     Max Heap Size:      ~p~n     Total Heap Size:    ~p~n     Kill:               ~p~n"                          \
    "     Error Logger:       ~p~n     Message Queue Len:  ~p~n     GC Info:            ~p~n"
#define TRACE_FORMAT "     Stacktrace:         ~p~n"

void report_max_heap_size(Process *p) {
    bool kill = (p->heap.max_flags & HEAP_MAX_KILL) != 0, log = (p->heap.max_flags & HEAP_MAX_LOG) != 0;
    bool traces = release_has(RELEASE_TRACE_OF_LIMIT);
    Term arguments[] = {
        p->pid,
        small_make((SWord)p->heap.max_words),
        small_make((SWord)heap_total_words(&p->heap)),
        bool_term(kill),
        bool_term(log),
        small_make((SWord)p->message_count),
        heap_figures(p, process_area(p)),
        traces ? stacktrace_of_process(p, process_place(p), exception_depth, process_area(p)) : NIL,
    };
    report_error(p, traces ? LIMIT_FORMAT TRACE_FORMAT : LIMIT_FORMAT, arguments, array_length(arguments) - !traces);
}
