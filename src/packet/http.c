/*
 * HTTP request lines, status lines and headers, for decode_packet/3. Source: erlang(3) decode_packet/3, `HttpPacket`.
 *
 * Known methods and header names are atoms; a header's number is its place in the table of those names.
 */
#include "packet/packet.h"

#include <string.h>
#include <strings.h>

#include "term/atom.h"
#include "term/bits.h"
#include "term/iolist.h"
#include "term/text.h"

static const char *const known_methods[] = {"OPTIONS", "GET", "HEAD", "POST", "PUT", "DELETE", "TRACE"};
/* clang-format off */
/* The order is part of the interface. */
static const char *const known_headers[] = {
    "Cache-Control", "Connection", "Date", "Pragma", "Transfer-Encoding", "Upgrade", "Via", "Accept", "Accept-Charset",
    "Accept-Encoding", "Accept-Language", "Authorization", "From", "Host", "If-Modified-Since", "If-Match",
    "If-None-Match", "If-Range", "If-Unmodified-Since", "Max-Forwards", "Proxy-Authorization", "Range", "Referer",
    "User-Agent", "Age", "Location", "Proxy-Authenticate", "Public", "Retry-After", "Server", "Vary", "Warning",
    "Www-Authenticate", "Allow", "Content-Base", "Content-Encoding", "Content-Language", "Content-Length",
    "Content-Location", "Content-Md5", "Content-Range", "Content-Type", "Etag", "Expires", "Last-Modified",
    "Accept-Ranges", "Set-Cookie", "Set-Cookie2", "X-Forwarded-For", "Cookie", "Keep-Alive", "Proxy-Connection",
};
/* clang-format on */

typedef struct {
    const char *at, *end;
} Span;

static size_t span_size(Span s) { return (size_t)(s.end - s.at); }
static bool span_is(Span s, const char *text) {
    return span_size(s) == strlen(text) && memcmp(s.at, text, span_size(s)) == 0;
}
static bool span_starts(Span s, const char *text) {
    return span_size(s) >= strlen(text) && strncasecmp(s.at, text, strlen(text)) == 0;
}

static Term text_term(HttpForm form, Span s) {
    if (form.as_binary)
        return binary_from_bytes(form.area, s.at, span_size(s));
    return list_from_bytes(form.area, s.at, span_size(s), NIL);
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_decimal(char c) { return c >= '0' && c <= '9'; }

/* RFC 2616: tokens have no control characters and no separators. */
static bool is_token_char(char c) { return c > 32 && c < 127 && !strchr("()<>@,;:\\\"/[]?={}", c); }

static void skip_blanks(Span *s) {
    while (s->at < s->end && is_blank(*s->at))
        s->at++;
}

/* Cuts off what stands before the next blank. */
static Span take_word(Span *s) {
    Span word = {s->at, s->at};
    while (word.end < s->end && !is_blank(*word.end))
        word.end++;
    s->at = word.end;
    skip_blanks(s);
    return word;
}

/* Decimal digits, at least one. Of a number that is too large 32 bits are left, with a sign: so the stock runtime
 * has it. */
static bool take_number(Span *s, int *number) {
    const char *start = s->at;
    uint32_t sum = 0;
    for (; s->at < s->end && is_decimal(*s->at); s->at++)
        sum = 10 * sum + (uint32_t)(*s->at - '0');
    *number = (int32_t)sum;
    return s->at > start;
}

/* HTTP/major.minor as {Major, Minor}. */
static bool take_version(HttpForm form, Span *s, Term *version) {
    int major, minor;
    if (span_size(*s) < 5 || memcmp(s->at, "HTTP/", 5) != 0)
        return false;
    s->at += 5;
    if (!take_number(s, &major) || s->at == s->end || *s->at++ != '.' || !take_number(s, &minor))
        return false;
    *version = area_tuple2(form.area, small_make(major), small_make(minor));
    return true;
}

static Term tuple5(Area *area, Term a, Term b, Term c, Term d, Term e) {
    Term *t = area_alloc(area, 6);
    t[0] = header_make(KIND_TUPLE, 5);
    t[1] = a;
    t[2] = b;
    t[3] = c;
    t[4] = d;
    t[5] = e;
    return boxed_make(t);
}

/* {absoluteURI, Scheme, Host, Port, Path}: `s` begins with the host. */
static Term absolute_uri(HttpForm form, Term scheme, Span s) {
    const char *slash = memchr(s.at, '/', span_size(s));
    Span path = {slash ? slash : s.end, s.end}, host = {s.at, path.at};
    const char *colon = memchr(host.at, ':', span_size(host));
    Term port = am_undefined;
    if (colon) {
        Span digits = {colon + 1, host.end};
        int number;
        if (take_number(&digits, &number) && digits.at == digits.end)
            port = small_make(number);
        host.end = colon;
    }
    static const char root[] = "/";
    if (!slash)
        path = (Span){root, root + 1};
    Term host_term = text_term(form, host), path_term = text_term(form, path);
    return tuple5(form.area, am_absoluteURI, scheme, host_term, port, path_term);
}

static Term uri_term(HttpForm form, Span s) {
    if (span_is(s, "*"))
        return am_times;
    if (span_size(s) == 1 || (s.at < s.end && *s.at == '/')) /* any one character is a path */
        return area_tuple2(form.area, am_abs_path, text_term(form, s));
    if (span_starts(s, "http://"))
        return absolute_uri(form, am_http, (Span){s.at + 7, s.end});
    if (span_starts(s, "https://"))
        return absolute_uri(form, am_https, (Span){s.at + 8, s.end});
    const char *colon = memchr(s.at, ':', span_size(s));
    if (!colon)
        return text_term(form, s);
    Term scheme = text_term(form, (Span){s.at, colon}), rest = text_term(form, (Span){colon + 1, s.end});
    return area_tuple3(form.area, am_scheme, scheme, rest);
}

static bool is_token(Span s) {
    for (const char *c = s.at; c < s.end; c++)
        if (!is_token_char(*c))
            return false;
    return s.at < s.end;
}

static Term method_term(HttpForm form, Span method) {
    for (size_t i = 0; i < array_length(known_methods); i++)
        if (span_is(method, known_methods[i]))
            return atom_from_cstring(known_methods[i]);
    return text_term(form, method);
}

/* NON_VALUE: the line is no request. Without a version it is HTTP/0.9; what stands behind the version is nothing. */
static Term request(HttpForm form, Span line) {
    Span method = take_word(&line), uri = take_word(&line);
    Term version;
    if (!is_token(method) || uri.at == uri.end)
        return NON_VALUE;
    if (line.at == line.end)
        version = area_tuple2(form.area, small_make(0), small_make(9));
    else if (!take_version(form, &line, &version))
        return NON_VALUE;
    Term method_name = method_term(form, method), uri_name = uri_term(form, uri);
    return area_tuple4(form.area, am_http_request, method_name, uri_name, version);
}

/* Blanks and nothing behind them are 0. */
static bool take_status(Span *line, int *status) {
    const char *before = line->at;
    skip_blanks(line);
    *status = 0;
    if (line->at == line->end)
        return line->at > before;
    return take_number(line, status) && (line->at == line->end || is_blank(*line->at));
}

static Term response(HttpForm form, Span line) {
    Term version;
    int status;
    if (!take_version(form, &line, &version) || !take_status(&line, &status))
        return NON_VALUE;
    skip_blanks(&line);
    return area_tuple4(form.area, am_http_response, version, small_make(status), text_term(form, line));
}

/* The line without its end of line. */
static Span without_end(const char *line, size_t size) {
    Span s = {line, line + size};
    if (s.at < s.end && s.end[-1] == '\n')
        s.end--;
    if (s.at < s.end && s.end[-1] == '\r')
        s.end--;
    return s;
}

static Term http_error(HttpForm form, const char *line, size_t size) {
    return area_tuple2(form.area, am_http_error, text_term(form, (Span){line, line + size}));
}

Term http_first_line(HttpForm form, const char *line, size_t size) {
    Span s = without_end(line, size);
    Term result = span_size(s) >= 5 && memcmp(s.at, "HTTP/", 5) == 0 ? response(form, s) : request(form, s);
    return is_value(result) ? result : http_error(form, line, size);
}

#define CAPITALISED_MAX 50

/* The name with a capital at the start of each part and small letters otherwise; a longer one as it is. A hyphen that
 * is itself the start of a part does not begin another one. */
static Term capitalised(HttpForm form, Span name) {
    if (span_size(name) > CAPITALISED_MAX)
        return text_term(form, name);
    TEXT(text);
    bool first = true;
    for (const char *c = name.at; c < name.end; c++) {
        bool is_letter = (*c | 0x20) >= 'a' && (*c | 0x20) <= 'z';
        text_byte(&text, !is_letter ? *c : first ? (char)(*c & ~0x20) : (char)(*c | 0x20));
        first = *c == '-' && !first;
    }
    return text_term(form, (Span){text.bytes, text.bytes + text.size});
}

static Term header_name(HttpForm form, Span name, Term *number) {
    for (size_t i = 0; i < array_length(known_headers); i++) {
        if (strlen(known_headers[i]) == span_size(name) && span_starts(name, known_headers[i])) {
            *number = small_make((SWord)i + 1);
            return atom_from_cstring(known_headers[i]);
        }
    }
    *number = small_make(0);
    return capitalised(form, name);
}

Term http_header_line(HttpForm form, const char *line, size_t size) {
    Span s = without_end(line, size), name = {s.at, s.at};
    if (s.at == s.end)
        return am_http_eoh;
    while (name.end < s.end && is_token_char(*name.end))
        name.end++;
    if (name.end == s.end || *name.end != ':')
        return http_error(form, line, size);
    s.at = name.end + 1;
    skip_blanks(&s);
    Term number, field = header_name(form, name, &number);
    Term as_sent = text_term(form, name), value = text_term(form, s);
    return tuple5(form.area, am_http_header, number, field, as_sent, value);
}
