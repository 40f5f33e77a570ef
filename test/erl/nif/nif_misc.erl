%% Printing, time, the system, unique integers, memory and other libraries through the native interface.
-module(nif_misc).
-export([main/0]).
-nifs([print/2, print_va_list/1, formats/1, files/1, convert/3, monotonic/1, offset/1, time_of_thread/0, now/0, cpu/0,
       unique/1, system/0, variable/2, memory/0, libraries/1]).
-compile([{no_auto_import, [now/0]}, nowarn_deprecated_function]).
-include("n.hrl").

main() ->
    ok = erlang:load_nif(library("nif_misc"), 0),
    check(print, fun print/2, [[T, 2000] || T <- terms()]),
    check(print_short, fun(T, N) -> element(2, print(T, N)) end,
          [[T, N] || T <- [abc, [1, 2, 3], "abc"], N <- [1, 2, 4, 5, 6, 7, 10]]),
    t(print_long, fun() -> element(2, print(lists:seq(1, 1000), 2000)) end),
    t(print_identifiers,
      fun() ->
          Ref = make_ref(),
          [begin {_, <<"[", B/binary>>} = print(T, 2000), binary_to_list(B) =:= Text ++ "]" end
           || {T, Text} <- [{self(), pid_to_list(self())}, {list_to_port("#Port<0.17>"), "#Port<0.17>"},
                                {Ref, ref_to_list(Ref)}, {fun lists:map/2, "fun lists:map/2"}]]
      end),
    check(print_va_list, fun print_va_list/1, [[T] || T <- [a, "text", {1, 2.0}]]),
    t(formats, fun() -> formats(atom) end),
    t(formats_of_more, fun() -> formats({1, "two", [3.0]}) end),
    check(files, fun files/1, [[a], [{b, [1, 2]}]]),
    Units = [0, 1, 2, 3],
    check(convert, fun convert/3, [[T, F, U] || T <- [0, 1, -1, 999, 1000, -1001, 1500000000, -1500000001], F <- Units, U <- Units]
                                  ++ [[1, 0, 4], [1, -1, 0], [1, 77, 0]]),
    t(monotonic, fun() -> [within(erlang:monotonic_time(erl(U)), fun() -> monotonic(U) end,
                                  fun() -> erlang:monotonic_time(erl(U)) end) || U <- Units] end),
    t(offset, fun() -> [abs(offset(U) - erlang:time_offset(erl(U))) =< 1 + erlang:convert_time_unit(1, second, erl(U)) div 50
                        || U <- Units] end),
    t(bad_unit, fun() -> {monotonic(4), offset(4), monotonic(-1)} end),
    t(time_of_thread, fun time_of_thread/0),
    t(now, fun() -> A = erlang:now(), B = now(), C = erlang:now(), {A < B, B < C, is_now(B)} end),
    t(cpu, fun() -> case cpu() of {A, B, C} = T -> is_now(T); Other -> Other end end),
    t(unique, fun() ->
                  [begin
                       L = [unique(F) || _ <- lists:seq(1, 100)],
                       {length(lists:usort(L)), F band 1 =:= 0 orelse hd(lists:sort(L)) > 0,
                        F band 2 =:= 0 orelse L =:= lists:sort(L)}
                   end || F <- [0, 1, 2, 3]]
              end),
    t(unique_among_others, fun() ->
                               L = [[unique(2), erlang:unique_integer([monotonic])] || _ <- lists:seq(1, 50)],
                               lists:append(L) =:= lists:usort(lists:append(L))
                           end),
    t(system, fun system_test/0),
    t(variables, fun variables/0),
    t(memory, fun memory/0),
    t(libraries, fun() -> libraries(library("nif_misc")) end).

terms() ->
    [0, -1, 1 bsl 70, -(1 bsl 70), 1.5, -0.0, 1.0e22, 1.0e-10, a, 'A', 'with space', '', 'it\'s', [], [1], [1, 2, 3], [1 | 2],
     [a, b | c], "text", [$a, 0], [955], "quote\"and\\backslash\nnewline", {}, {a}, {1, 2, "three", [4]}, #{}, #{a => 1},
     #{1 => a, b => "x"}, <<>>, <<1, 2, 3>>, <<"text">>, <<1:3>>, <<5, 1:1>>, binary:copy(<<7>>, 70), fun lists:map/2,
     [[], [[]], [[[]]]], {"", [$a | b]}, [[a], "bc"], list_to_atom([228]), list_to_atom([955])].

erl(0) -> second;
erl(1) -> millisecond;
erl(2) -> microsecond;
erl(3) -> nanosecond.

within(Before, F, G) -> X = F(), Before =< X andalso X =< G().

is_now({A, B, C}) -> is_integer(A) andalso is_integer(B) andalso is_integer(C) andalso B < 1000000 andalso C < 1000000;
is_now(Other) -> Other.

system_test() ->
    {[Version, Release, Threads, Smp, Async, Schedulers, Major, Minor, Dirty], Driver, Short} = system(),
    {Version =:= erlang:system_info(version), Release =:= erlang:system_info(otp_release), Threads, Smp,
     Async =:= erlang:system_info(thread_pool_size), Schedulers =:= erlang:system_info(schedulers), Major, Minor >= 16, Dirty,
     Driver >= 3003, Short}.

variables() ->
    os:putenv("NIF_TEST_SHORT", "abc"),
    os:putenv("NIF_TEST_EMPTY", ""),
    os:putenv("NIF_TEST_LONG", lists:duplicate(50, $l)),
    [{N, S, variable(N, S)} || N <- ["NIF_TEST_SHORT", "NIF_TEST_EMPTY", "NIF_TEST_NONE", "NIF_TEST_LONG", ""],
                               S <- [0, 1, 3, 4, 5, 99]].

print(_, _) -> erlang:nif_error(not_loaded).
print_va_list(_) -> erlang:nif_error(not_loaded).
formats(_) -> erlang:nif_error(not_loaded).
files(_) -> erlang:nif_error(not_loaded).
convert(_, _, _) -> erlang:nif_error(not_loaded).
monotonic(_) -> erlang:nif_error(not_loaded).
offset(_) -> erlang:nif_error(not_loaded).
time_of_thread() -> erlang:nif_error(not_loaded).
now() -> erlang:nif_error(not_loaded).
cpu() -> erlang:nif_error(not_loaded).
unique(_) -> erlang:nif_error(not_loaded).
system() -> erlang:nif_error(not_loaded).
variable(_, _) -> erlang:nif_error(not_loaded).
memory() -> erlang:nif_error(not_loaded).
libraries(_) -> erlang:nif_error(not_loaded).
