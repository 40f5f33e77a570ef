#include "bif/trace/trace_sum.h"

#include "bif/argument.h"
#include "heap/copy.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/map.h"

static bool read_part(Term name, SumPart *part) {
    static const Term names[] = {[KEY_CALLER] = am_caller,
                                 [KEY_PROCESS] = am_process,
                                 [KEY_NAME] = am_name,
                                 [KEY_INITIAL_CALL] = am_initial_call,
                                 [KEY_SCHEDULER] = am_scheduler,
                                 [KEY_FUNCTION] = am_function,
                                 [KEY_EXPRESSION] = am_expression};
    for (unsigned i = 0; i < array_length(names); i++)
        if (names[i] == name) {
            *part = i;
            return true;
        }
    return false;
}

static bool read_value(Term t, SumValue *value) {
    *value = t == am_time ? SUM_TIME : t == am_expression ? SUM_EXPRESSION : SUM_ONE;
    return *value != SUM_ONE || t == small_make(1);
}

static bool read_flag(Term t, Term yes, Term no, bool *flag) {
    *flag = t == yes;
    return t == yes || t == no;
}

static uint8_t count_expressions(const SumForm *f) {
    uint8_t count = f->value == SUM_EXPRESSION;
    for (unsigned i = 0; i < f->parts; i++)
        count += f->part[i] == KEY_EXPRESSION;
    return count;
}

bool trace_sum_read(Term t, SumForm *f) {
    *f = (SumForm){0};
    if (!is_tuple_arity(t, 6))
        return false;
    const Term *e = tuple_elements(t);
    Term parts = e[0];
    for (; is_list(parts); parts = list_tail(parts))
        if (f->parts == SUM_PARTS_MAX || !read_part(list_head(parts), &f->part[f->parts++]))
            return false;
    f->rows = is_small_within(e[4], 1, SUM_ROWS_MAX) ? (uint32_t)small_value(e[4]) : 0;
    bool is_good = is_nil(parts) && f->rows != 0 && read_flag(e[1], am_true, am_false, &f->is_list) &&
                   (f->is_list || f->parts <= 1) && read_value(e[2], &f->value) &&
                   read_flag(e[3], am_true, am_false, &f->has_histogram) &&
                   read_flag(e[5], am_traced, am_all, &f->traced_only);
    f->expressions = count_expressions(f);
    return is_good;
}

static Term classes_list(Area *area, const int64_t *classes) {
    Term list = NIL;
    for (unsigned i = SUM_CLASSES - 1; i-- > 0;)
        if (classes[i] != 0) {
            int64_t from, to;
            sum_class_bounds(i, &from, &to);
            list = area_cons(area,
                             area_tuple3(area, integer_from_int64(area, from), integer_from_int64(area, to),
                                         integer_from_int64(area, classes[i])),
                             list);
        }
    int64_t from, to, negative = classes[SUM_CLASSES - 1];
    if (negative == 0)
        return list;
    sum_class_bounds(SUM_CLASSES - 1, &from, &to);
    return area_cons(area, area_tuple3(area, small_make(from), small_make(to), integer_from_int64(area, negative)),
                     list);
}

static Term row_term(Area *area, Term key, const SumRow *r, bool has_histogram) {
    bool any = r->count != 0;
    Term pairs[10] = {
        am_count,    integer_from_int64(area, r->count),           am_sum,  integer_from_int64(area, r->sum),
        am_least,    integer_from_int64(area, any ? r->least : 0), am_most, integer_from_int64(area, any ? r->most : 0),
        am_histogram};
    if (has_histogram)
        pairs[9] = r->classes != NULL ? classes_list(area, r->classes) : NIL;
    return area_tuple2(area, key, map_from_pairs(area, pairs, has_histogram ? 5 : 4));
}

Term trace_sum_term(Process *p, const CallSum *sum) {
    Area *area = process_area(p);
    SumFigures f;
    sum_read(sum, &f);
    Term rows = NIL;
    for (size_t i = 0; i < f.count; i++) {
        Term key = term_copy(f.rows[i].key, area);
        rows = area_cons(area, row_term(area, key, &f.rows[i], sum->form.has_histogram), rows);
    }
    Term other = row_term(area, am_other, &f.other, sum->form.has_histogram);
    Term pairs[6] = {am_rows, rows, am_other, other, am_invalid, integer_from_int64(area, f.invalid)};
    sum_figures_release(&f);
    return map_from_pairs(area, pairs, 3);
}
