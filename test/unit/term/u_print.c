/* Printed terms, as erlang:display/1 of OTP 25 shows them; names of identifiers and back. */
#include "facts.h"

static void check(Term t, const char *expected) {
    TEXT(text);
    print_term(&text, t);
    assert_string_equal(text_cstring(&text), expected);
}

static Term list(size_t n, const Term *p, Term tail) {
    while (n > 0)
        tail = area_cons(&the_area, p[--n], tail);
    return tail;
}

static Term characters(const char *s) {
    Term p[100];
    size_t n = strlen(s);
    for (size_t i = 0; i < n; i++)
        p[i] = small_make((uint8_t)s[i]);
    return list(n, p, NIL);
}

static Term atom(const char *utf8) { return atom_put((const uint8_t *)utf8, strlen(utf8), NULL); }
static Term binary(const char *s) { return binary_from_bytes(&the_area, s, strlen(s)); }

static void lists(void **state) {
    Term abc[] = {atom("a"), atom("b"), small_make(3)};
    check(NIL, "[]");
    check(list(3, abc, NIL), "[a,b,3]");
    check(list(2, abc, abc[2]), "[a,b|3]");
    check(characters("abc"), "\"abc\"");
    check(characters("a\nb\"c\\d"), "\"a\\nb\\\"c\\d\"");
    check(characters("\x1b"), "[27]");
    Term nested[] = {NIL, list(1, abc, NIL)};
    check(list(2, nested, NIL), "[[],[a]]");
}

static void atoms(void **state) {
    static const char *const plain[] = {"ok_1", "a1_B", "if", "\u00e5", "\u00e5\u00c4", "\u00ff", "a\u00d6"};
    for (size_t i = 0; i < array_length(plain); i++)
        check(atom(plain[i]), plain[i]);
    static const char *const quoted[][2] = {{"a b", "'a b'"},
                                            {"A", "'A'"},
                                            {"a@b", "'a@b'"},
                                            {"1a", "'1a'"},
                                            {"", "''"},
                                            {"_a", "'_a'"},
                                            {"\u0100", "'\u0100'"},
                                            {"a\nb", "'a\\nb'"},
                                            {"a'b", "'a\\'b'"},
                                            {"a\\b", "'a\\\\b'"},
                                            {"a\x01", "'a\\001'"},
                                            {"\u00d6", "'\u00d6'"},
                                            {"a\u00f7", "'a\u00f7'"},
                                            {"\xc2\x85", "'\\205'"}};
    for (size_t i = 0; i < array_length(quoted); i++)
        check(atom(quoted[i][0]), quoted[i][1]);
}

static void others(void **state) {
    check(float_make(&the_area, 1.5), "1.500000e+00");
    check(float_make(&the_area, 1e300), "1.000000e+300");
    check(integer_parse(&the_area, "-1180591620717411303424", 23, 10, NULL), "-1180591620717411303424");
    check(area_tuple2(&the_area, small_make(1), area_tuple2(&the_area, NIL, atom("x"))), "{1,{[],x}}");
    check(binary("abc\"d\\e"), "<<\"abc\\\"d\\e\">>");
    check(binary("a\nb"), "<<97,10,98>>");
    check(binary(""), "<<>>");
    uint8_t *data;
    Term bits = bits_make(&the_area, 11, &data);
    data[0] = 97;
    data[1] = 0x20;
    check(bits, "<<97,1:3>>");
    Term map = map_put(&the_area, map_put(&the_area, map_empty(&the_area), atom("a"), small_make(1)), atom("b"), NIL);
    check(map, "#{a=>1,b=>[]}");
    for (int i = 1; i <= 34; i++)
        map = map_put(&the_area, i == 1 ? map_empty(&the_area) : map, small_make(i), small_make(i));
    check(map, "#<fffb>{<1201>{[16|16],[18|18],[5|5]},<4400>{[19|19],[27|27]},<80>{<4080>{[10|10],[24|24]}},"
               "<14>{[4|4],[21|21]},<240>{[22|22],[17|17]},<2a>{[3|3],[8|8],[1|1]},"
               "<8512>{[7|7],[2|2],[14|14],[15|15],[20|20]},[13|13],[6|6],<9400>{[28|28],[25|25],[34|34]},"
               "<212>{[32|32],[9|9],[11|11]},[31|31],[26|26],<2040>{[30|30],<8020>{[29|29],[23|23]}},"
               "<8200>{[12|12],[33|33]}}");
}

static void names(void **state) {
    check(pid_make(9), "<0.9.0>");
    check(port_make(7), "#Port<0.7>");
    uint32_t numbers[] = {1, 2, 3};
    check(ref_make(&the_area, numbers, 3), "#Ref<0.3.2.1>");
    assert_true(pid_parse(&the_area, "<0.12.3>", 8) == ident_pid(&the_area, node_this_name(), 0, 12, 3));
    assert_true(port_parse(&the_area, "#Port<0.1>", 10) == port_make(1));
    assert_true(term_identical(ref_parse(&the_area, "#Ref<0.3.2.1>", 13), ref_make(&the_area, numbers, 3)));
    static const char *const bad[] = {
        "<0.1>",   "0.1.2", "<0.1.2.3>", "<0.-1.0>", "<0.1.0> ", "<0..0>", "", "<", "<0.99999999999999999999.0>",
        "<77.1.1>"};
    for (size_t i = 0; i < array_length(bad); i++)
        assert_true(pid_parse(&the_area, bad[i], strlen(bad[i])) == NON_VALUE);
    Term far = ident_pid(&the_area, atom("a@b"), 3, 1, 2);
    TEXT(text);
    print_pid(&text, far);
    assert_true(term_identical(pid_parse(&the_area, text.bytes, text.size), far));
}

static void deep_terms_need_no_c_stack(void **state) {
    Term t = NIL;
    for (int i = 0; i < 1000000; i++)
        t = area_tuple2(&the_area, t, NIL);
    TEXT(text);
    print_term(&text, t);
    assert_int_equal(text.size, 1000000 * 5 + 2);
}

int main(void) {
    terms_init();
    const struct CMUnitTest tests[] = {unit(lists), unit(atoms), unit(others), unit(names),
                                       unit(deep_terms_need_no_c_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
