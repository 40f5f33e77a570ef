/*
 * Dates and times of day. Source: erlang(3) date/0, time/0, localtime/0, universaltime_to_localtime/1 and neighbours.
 *
 * Universal time is counted in seconds since 1970 by the Gregorian calendar, from the year 1600 on; what local time it
 * is then, the C library knows, from 1901-12-13 (32 bits of seconds) on. `Civil` is what Erlang writes as
 * {{Year, Month, Day}, {Hour, Minute, Second}}.
 */
#include <time.h>

#include "bif/argument.h"
#include "bif_table.h"
#include "sys/release.h"
#include "sys/clock.h"
#include "term/atom.h"
#include "term/integer.h"

#define SECONDS_PER_DAY 86400
#define FIRST_YEAR 1600
#define DAYS_PER_ERA 146097 /* 400 years */
#define ERA_DAYS_TO_1970 719468 /* from 0000-03-01 */

typedef struct {
    int64_t year;
    int month, day, hour, minute, second;
} Civil;

static bool is_leap_year(int64_t y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; }

static int days_of_month(int64_t year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap_year(year) ? 29 : days[month - 1];
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Years are counted from March, so that the leap day comes last. */
static int64_t days_since_1970(int64_t year, int month, int day) {
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = floor_div(y, 400), year_of_era = y - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * DAYS_PER_ERA + day_of_era - ERA_DAYS_TO_1970;
}

static int64_t seconds_since_1970(const Civil *c) {
    int64_t of_day = (c->hour * 60 + c->minute) * 60 + c->second;
    return days_since_1970(c->year, c->month, c->day) * SECONDS_PER_DAY + of_day;
}

static Civil civil_of_seconds(int64_t seconds) {
    int64_t days = floor_div(seconds, SECONDS_PER_DAY), of_day = seconds - days * SECONDS_PER_DAY;
    int64_t shifted = days + ERA_DAYS_TO_1970, era = floor_div(shifted, DAYS_PER_ERA);
    int64_t doe = shifted - era * DAYS_PER_ERA;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int from_march = (int)((5 * doy + 2) / 153), month = from_march < 10 ? from_march + 3 : from_march - 9;
    return (Civil){
        .year = yoe + era * 400 + (month <= 2),
        .month = month,
        .day = (int)(doy - (153 * from_march + 2) / 5 + 1),
        .hour = (int)(of_day / 3600),
        .minute = (int)(of_day / 60 % 60),
        .second = (int)(of_day % 60),
    };
}

static Term date_term(Process *p, const Civil *c) {
    return area_tuple3(process_area(p), small_make(c->year), small_make(c->month), small_make(c->day));
}

static Term time_term(Process *p, const Civil *c) {
    return area_tuple3(process_area(p), small_make(c->hour), small_make(c->minute), small_make(c->second));
}

static Term civil_term(Process *p, const Civil *c) {
    Term date = date_term(p, c), time = time_term(p, c);
    return area_tuple2(process_area(p), date, time);
}

static bool take_field(Term t, int low, int high, int *to) {
    if (!is_small_within(t, low, high))
        return false;
    *to = (int)small_value(t);
    return true;
}

/* A date that exists, from FIRST_YEAR on, and a time of day without leap seconds. */
static bool civil_of_term(Term t, Civil *c) {
    if (!is_tuple_arity(t, 2) || !is_tuple_arity(tuple_elements(t)[0], 3) || !is_tuple_arity(tuple_elements(t)[1], 3))
        return false;
    const Term *date = tuple_elements(tuple_elements(t)[0]), *time = tuple_elements(tuple_elements(t)[1]);
    if (!is_small_within(date[0], FIRST_YEAR, INT32_MAX) || !take_field(date[1], 1, 12, &c->month))
        return false;
    c->year = small_value(date[0]);
    return take_field(date[2], 1, days_of_month(c->year, c->month), &c->day) && take_field(time[0], 0, 23, &c->hour) &&
           take_field(time[1], 0, 59, &c->minute) && take_field(time[2], 0, 59, &c->second);
}

static Civil civil_of_tm(const struct tm *tm) {
    return (Civil){
        .year = (int64_t)tm->tm_year + 1900,
        .month = tm->tm_mon + 1,
        .day = tm->tm_mday,
        .hour = tm->tm_hour,
        .minute = tm->tm_min,
        .second = tm->tm_sec,
    };
}

static int64_t now_seconds(void) { return clock_real() / NANOSECONDS_PER_SECOND; }

/* False when the C library cannot tell. */
static bool local_of_seconds(int64_t seconds, Civil *c) {
    struct tm tm;
    time_t t = seconds;
    if (seconds < INT32_MIN || !localtime_r(&t, &tm))
        return false;
    *c = civil_of_tm(&tm);
    return true;
}

static bool seconds_of_local(const Civil *c, int is_dst, int64_t *seconds) {
    struct tm tm = {
        .tm_year = (int)(c->year - 1900),
        .tm_mon = c->month - 1,
        .tm_mday = c->day,
        .tm_hour = c->hour,
        .tm_min = c->minute,
        .tm_sec = c->second,
        .tm_isdst = is_dst,
    };
    if (seconds_since_1970(c) < INT32_MIN)
        return false;
    *seconds = mktime(&tm);
    return true;
}

static Civil local_now(void) {
    Civil c;
    int64_t now = now_seconds();
    return local_of_seconds(now, &c) ? c : civil_of_seconds(now);
}

Term erlang_date_0(Process *p, const Term *a) {
    Civil c = local_now();
    return date_term(p, &c);
}

Term erlang_time_0(Process *p, const Term *a) {
    Civil c = local_now();
    return time_term(p, &c);
}

Term erlang_localtime_0(Process *p, const Term *a) {
    Civil c = local_now();
    return civil_term(p, &c);
}

Term erlang_universaltime_0(Process *p, const Term *a) {
    Civil c = civil_of_seconds(now_seconds());
    return civil_term(p, &c);
}

Term erlang_universaltime_to_localtime_1(Process *p, const Term *a) {
    Civil c;
    if (!civil_of_term(a[0], &c) || !local_of_seconds(seconds_since_1970(&c), &c))
        return fail_badarg(p);
    return civil_term(p, &c);
}

static bool zone_has_summer(void) {
    tzset();
    return daylight != 0;
}

/* localtime_to_universaltime(Local, IsDst): `undefined` leaves it to the C library to find out. */
Term erlang_localtime_to_universaltime_2(Process *p, const Term *a) {
    Civil c;
    int64_t seconds;
    int is_dst = a[1] == am_true ? 1 : a[1] == am_false ? 0 : -1;
    if (is_dst == 1 && release_has(RELEASE_NO_SUMMER) && !zone_has_summer())
        is_dst = 0;
    if ((is_dst < 0 && a[1] != am_undefined) || !civil_of_term(a[0], &c) || !seconds_of_local(&c, is_dst, &seconds))
        return fail_badarg(p);
    c = civil_of_seconds(seconds);
    return civil_term(p, &c);
}

Term erlang_universaltime_to_posixtime_1(Process *p, const Term *a) {
    Civil c;
    return civil_of_term(a[0], &c) ? small_make(seconds_since_1970(&c)) : fail_badarg(p);
}

Term erlang_posixtime_to_universaltime_1(Process *p, const Term *a) {
    int64_t seconds;
    if (!integer_to_int64(a[0], &seconds))
        return fail_badarg(p);
    Civil c = civil_of_seconds(seconds);
    return civil_term(p, &c);
}
