#include "init/schedulers_flags.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "init/refuse.h"
#include "sched/scheduler.h"
#include "sys/cpu_quota.h"
#include "term/text.h"

#define SCHEDULERS_MAX 1024

/* What a flag says, and for messages: of which kind. */
typedef struct {
    const char *kind; /* "" or "dirty CPU " */
    int total, online;
    bool has_total, has_online;
} Pair;

static int configured(void) { return (int)cpu_count_online(); }
static int usable(void) { return (int)schedulers_usable(); }
static int least(int a, int b) { return a < b ? a : b; }

/* False: it begins with no number. What follows the numbers does not count. */
static bool read_pair(Pair *p, const char *value) {
    int numbers = sscanf(value, "%d:%d", &p->total, &p->online);
    p->has_total = numbers >= 1;
    p->has_online = numbers == 2 || (numbers < 1 && sscanf(value, ":%d", &p->online) == 1);
    return p->has_total || p->has_online;
}

static _Noreturn void refuse_amount(const Pair *p, const char *value) {
    TEXT(text);
    text_format(&text, "bad amount of %sschedulers %s", p->kind, value);
    refuse_flag("%s", text_cstring(&text));
}

static _Noreturn void refuse_online(const Pair *p) {
    TEXT(text);
    text_format(&text, "bad amount of %sschedulers online %d (total amount of %sschedulers %d)", p->kind, p->online,
                p->kind, p->total);
    refuse_flag("%s", text_cstring(&text));
}

/* Of what the machine has: 0 all of it, a negative number so many less. */
static int resolve(int number, int all) { return number > 0 ? number : all + number; }

static void read_amounts(Pair *p, const char *value) {
    char number[16];
    if (!read_pair(p, value))
        refuse_amount(p, value);
    snprintf(number, sizeof number, "%d", p->total);
    p->total = resolve(p->total, configured());
    if (p->total < 1 || p->total > SCHEDULERS_MAX)
        refuse_amount(p, number);
    p->online = p->has_online ? resolve(p->online, usable()) : least(usable(), p->total);
    if (p->online < 1 || p->online > p->total)
        refuse_online(p);
}

static int part_of(int all, int percent) {
    int64_t part = (int64_t)all * percent / 100;
    return part == 0 ? 1 : part < INT_MAX ? (int)part : INT_MAX;
}

static PerCent read_percentages(const char *kind, const char *value) {
    TEXT(text);
    Pair p = {.kind = kind};
    if (!read_pair(&p, value) || p.total < 0 || p.online < 0) {
        text_format(&text, "bad %sschedulers percentage specifier %s", kind, value);
        refuse_flag("%s", text_cstring(&text));
    }
    int total = p.has_total ? p.total : 100;
    return (PerCent){.is_said = true, .total = total, .online = p.has_online ? p.online : least(total, 100)};
}

static _Noreturn void refuse_part(const char *of, int percent, const Pair *p) {
    TEXT(text);
    text_format(&text, "bad schedulers%s percentage %d (total amount of schedulers %d", of, percent, p->total);
    if (of[0] != '\0')
        text_format(&text, ", online %d", p->online);
    text_byte(&text, ')');
    refuse_flag("%s", text_cstring(&text));
}

/* Those of +S, or of the machine. */
static Pair part_of_pair(unsigned total, unsigned online, const PerCent *part) {
    int all = total > 0 ? (int)total : configured(), up = online > 0 ? (int)online : usable();
    return (Pair){.kind = "", .total = part_of(all, part->total), .online = part_of(up, part->online)};
}

static void keep(Settings *settings, const Pair *p) {
    settings->schedulers = (unsigned)p->total;
    settings->online = (unsigned)p->online;
}

static void keep_dirty(Settings *settings, const Pair *p) {
    settings->dirty_cpu = (unsigned)p->total;
    settings->dirty_online = (unsigned)p->online;
}

void schedulers_flag(Settings *settings, const char *value) {
    Pair p = {.kind = ""};
    read_amounts(&p, value);
    keep(settings, &p);
}

void percentage_flag(Settings *settings, const char *value) { settings->part = read_percentages("", value); }

void dirty_schedulers_flag(Settings *settings, const char *value) {
    Pair p = {.kind = "dirty CPU "};
    read_amounts(&p, value);
    keep_dirty(settings, &p);
}

void dirty_percentage_flag(Settings *settings, const char *value) {
    settings->dirty_part = read_percentages("dirty CPU ", value);
}

static void settle_part(Settings *settings) {
    Pair p = part_of_pair(settings->schedulers, settings->online, &settings->part);
    if (p.total > SCHEDULERS_MAX)
        refuse_part("", settings->part.total, &p);
    if (p.online > p.total)
        refuse_part(" online", settings->part.online, &p);
    keep(settings, &p);
}

static void at_most(unsigned *number, unsigned most) {
    if (*number > most)
        *number = most;
}

void schedulers_flags_settle(Settings *settings) {
    if (settings->part.is_said)
        settle_part(settings);
    if (settings->schedulers == 0)
        keep(settings, &(Pair){.total = configured(), .online = least(usable(), configured())});
    if (settings->dirty_part.is_said) {
        Pair p = part_of_pair(settings->dirty_cpu, settings->dirty_online, &settings->dirty_part);
        keep_dirty(settings, &p);
    }
    if (settings->dirty_cpu == 0)
        keep_dirty(settings, &(Pair){.total = configured(), .online = usable()});
    at_most(&settings->dirty_cpu, settings->schedulers);
    at_most(&settings->dirty_online, settings->online);
    at_most(&settings->dirty_online, settings->dirty_cpu);
}
