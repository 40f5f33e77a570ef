%% Sums of calls: they are exact when the calls are over, whatever schedulers they were on, and bounded.
-module(viv_trace_sum_tests).
-include_lib("eunit/include/eunit.hrl").
-export([f/1, g/2, fails/1, slow/0, stays/0, via/1, other_via/1]).

f(X) -> X.
g(_, Y) -> Y.
fails(X) -> error(X).
slow() -> receive after 20 -> ok end.
stays() -> receive after infinity -> ok end.
via(X) -> [?MODULE:f(X)].
other_via(X) -> [?MODULE:f(X)].

-define(M, viv_trace_sum_m).

with_sum(MFA, Spec, Sum, Work) ->
    S = trace:session_create(sums, self(), []),
    try
        Matched = trace:function(S, MFA, Spec, [{sum, Sum}]),
        ?assert(Matched > 0),
        Work(),
        {sum, Read} = trace:info(S, one(MFA), sum),
        Read
    after
        trace:session_destroy(S)
    end.

one({M, '_', '_'}) -> {M, f, 1};
one(MFA) -> MFA.

rows(#{rows := Rows}) -> lists:sort(Rows).
counts(Read) -> [{Key, Count} || {Key, #{count := Count}} <- rows(Read)].
row(Count, Sum, Least, Most) -> #{count => Count, sum => Sum, least => Least, most => Most}.

times(N, Fun) -> [Fun() || _ <- lists:seq(1, N)].

elsewhere(Fun) ->
    {P, R} = spawn_monitor(Fun),
    receive {'DOWN', R, process, P, Reason} -> Reason end.

plain_test() ->
    Read = with_sum({?MODULE, f, 1}, true, #{}, fun() -> times(100, fun() -> ?MODULE:f(1) end) end),
    ?assertEqual(#{rows => [{[], row(100, 100, 1, 1)}], other => {other, row(0, 0, 0, 0)}, invalid => 0}, Read).

nothing_yet_test() ->
    ?assertMatch(#{rows := [], invalid := 0}, with_sum({?MODULE, f, 1}, true, #{}, fun() -> ok end)),
    ?assertMatch(#{rows := [], invalid := 0}, with_sum({?MODULE, f, 1}, true, #{key => caller}, fun() -> ok end)).

specification_test() ->
    Spec = [{['$1'], [{'>', '$1', 90}], []}],
    Read = with_sum({?MODULE, f, 1}, Spec, #{}, fun() -> [?MODULE:f(N) || N <- lists:seq(1, 100)] end),
    ?assertEqual([{[], 10}], counts(Read)).

value_test() ->
    Work = fun() -> [?MODULE:g(N rem 2, N) || N <- lists:seq(1, 100)] end,
    Sum = #{key => {expression, '$1'}, value => {expression, '$2'}},
    Read = with_sum({?MODULE, g, 2}, [{['$1', '$2'], [], []}], Sum, Work),
    ?assertEqual([{0, row(50, 2550, 2, 100)}, {1, row(50, 2500, 1, 99)}], rows(Read)).

part_of_argument_test() ->
    Work = fun() -> [?MODULE:f({N rem 3, <<"binary">>}) || N <- lists:seq(1, 99)] end,
    Sum = #{key => [{expression, {element, 1, '$1'}}, {expression, {element, 2, '$1'}}]},
    Read = with_sum({?MODULE, f, 1}, [{['$1'], [], []}], Sum, Work),
    ?assertEqual([{[N, <<"binary">>], 33} || N <- [0, 1, 2]], counts(Read)).

%% Keys are the same that are =:=, whatever they are made of, and wherever they were built.
alike_keys_test() ->
    Terms = [1, -1, 1 bsl 40, 1 bsl 59, 1 bsl 60, 1.0, 0.0, 1.5e300, a, true, [], {}, {a}, {1}, {1.0}, {0.0}, {{}},
             {[]}, {a, b}, {b, a}, {a, b, 1}, {a, b, 2}, {a, b, {1}}, {a, b, 1, 2}, {?M, f, 1}, [a], [a, b], [a | b],
             "text", self(), {self(), 1}, make_ref(), hd(erlang:ports() ++ [none]), <<>>, <<1>>, <<1:7>>, {<<1>>, 1},
             binary:copy(<<2>>, 100), #{}, #{a => 1}, {#{a => 1}}, maps:from_keys(lists:seq(1, 40), x),
             fun ?MODULE:f/1, {fun ?MODULE:f/1}],
    Work = fun() -> [?MODULE:f(again(T)) || _ <- [1, 2, 3], T <- Terms] end,
    Read = with_sum({?MODULE, f, 1}, [{['$1'], [], []}], #{key => {expression, '$1'}}, Work),
    ?assertEqual([], [{T, 3} || T <- Terms] -- counts(Read)), % in no order: 1 and 1.0 have none
    ?assertEqual(length(Terms), length(counts(Read))).

again(T) -> binary_to_term(term_to_binary(T)).

%% A key that cannot be evaluated is 'EXIT', as in a body; a value that is no integer counts for itself.
invalid_test() ->
    Work = fun() -> [?MODULE:f(X) || X <- [1, 2.0, a, 1 bsl 70, 4]] end,
    Read = with_sum({?MODULE, f, 1}, [{['$1'], [], []}], #{value => {expression, '$1'}}, Work),
    ?assertMatch(#{invalid := 3}, Read),
    ?assertEqual([{[], row(2, 5, 1, 4)}], rows(Read)),
    Exit = with_sum({?MODULE, f, 1}, [{['$1'], [], []}], #{key => {expression, {element, 9, '$1'}}}, Work),
    ?assertEqual([{'EXIT', 5}], counts(Exit)).

keys_test_() ->
    Self = self(),
    Init = fun() -> {initial_call, I} = process_info(Self, initial_call), I end,
    [{lists:flatten(io_lib:format("~p", [Key])),
      fun() ->
              Read = with_sum({?MODULE, f, 1}, true, #{key => Key}, fun() -> elsewhere(fun() -> ?MODULE:f(1) end) end),
              ?assertMatch([{_, 1}], counts(Read)),
              [{K, 1}] = counts(Read),
              ?assert(Good(K))
      end} || {Key, Good} <-
                  [{process, fun is_pid/1},
                   {name, fun(N) -> N =:= undefined end},
                   {initial_call, fun(I) -> I =:= {erlang, apply, 2} orelse I =:= Init() end},
                   {scheduler, fun(N) -> N >= 1 andalso N =< erlang:system_info(schedulers) end},
                   {function, fun(F) -> F =:= {?MODULE, f, 1} end},
                   {[process, function, name], fun([P, F, N]) -> is_pid(P) andalso F =:= {?MODULE, f, 1} andalso
                                                                     N =:= undefined end}]].

name_test() ->
    Work = fun() -> elsewhere(fun() -> register(?M, self()), ?MODULE:f(1) end) end,
    ?assertEqual([{?M, 1}], counts(with_sum({?MODULE, f, 1}, true, #{key => name}, Work))).

caller_test() ->
    Work = fun() -> times(3, fun() -> via(1) end), times(5, fun() -> other_via(1) end) end,
    Read = with_sum({?MODULE, f, 1}, true, #{key => caller}, Work),
    ?assertEqual([{{?MODULE, other_via, 1}, 5}, {{?MODULE, via, 1}, 3}], counts(Read)).

%% All functions of a pattern share the table.
functions_test() ->
    Work = fun() -> times(3, fun() -> ?MODULE:f(1) end), times(4, fun() -> ?MODULE:g(1, 2) end) end,
    Read = with_sum({?MODULE, '_', '_'}, true, #{key => function}, Work),
    [?assert(lists:member(Row, counts(Read))) || Row <- [{{?MODULE, f, 1}, 3}, {{?MODULE, g, 2}, 4}]].

time_test() ->
    Read = with_sum({?MODULE, slow, 0}, true, #{value => time, histogram => true},
                    fun() -> times(3, fun() -> ?MODULE:slow() end) end),
    [{[], #{count := 3, sum := Sum, least := Least, most := Most, histogram := H}}] = rows(Read),
    ?assert(Least >= 20000000),
    ?assert(Sum >= Least + Most),
    ?assertEqual(3, lists:sum([N || {_, _, N} <- H])),
    ?assert(trace:quantile(H, 500) >= Least),
    ?assert(trace:quantile(H, 1000) >= Most).

%% An exception ends the call.
exception_test() ->
    Work = fun() -> times(10, fun() -> catch ?MODULE:fails({a, key}) end) end,
    Read = with_sum({?MODULE, fails, 1}, [{['$1'], [], []}], #{value => time, key => {expression, '$1'}}, Work),
    ?assertEqual([{{a, key}, 10}], counts(Read)).

%% A signal that ends the process does not.
killed_test() ->
    Work = fun() -> {P, M} = spawn_monitor(fun() -> ?MODULE:stays() end),
                    in(P, {?MODULE, stays, 0}),
                    exit(P, kill),
                    receive {'DOWN', M, process, P, killed} -> ok end
           end,
    Read = with_sum({?MODULE, stays, 0}, true, #{value => time}, Work),
    ?assertEqual([], counts(Read)).

%% Waits until a process waits in a function.
in(P, F) ->
    case process_info(P, [current_function, status]) of
        [{current_function, F}, {status, waiting}] -> ok;
        _ -> timer:sleep(1), in(P, F)
    end.

histogram_test() ->
    Values = [-5, 0, 1, 7, 8, 9, 15, 16, 17, 18, 1000, 1 bsl 40, (1 bsl 59) - 1, -(1 bsl 59)],
    Read = with_sum({?MODULE, f, 1}, [{['$1'], [], []}], #{value => {expression, '$1'}, histogram => true},
                    fun() -> [?MODULE:f(V) || V <- Values] end),
    [{[], #{histogram := H, least := -576460752303423488, most := 576460752303423487}}] = rows(Read),
    [?assertEqual({V, length([1 || W <- Values, W >= From, W =< To])}, {V, N}) ||
        V <- Values, {From, To, N} <- H, V >= From, V =< To],
    ?assertEqual(length(Values), lists:sum([N || {_, _, N} <- H])),
    ?assert(lists:all(fun({From, To, _}) -> From < 0 orelse To - From =< From div 8 end, H)),
    ?assertEqual(H, lists:sort(H)).

quantile_test() ->
    Read = with_sum({?MODULE, f, 1}, [{['$1'], [], []}], #{value => {expression, '$1'}, histogram => true},
                    fun() -> [?MODULE:f(V) || V <- lists:seq(1, 1000)] end),
    [{[], #{histogram := H}}] = rows(Read),
    [?assert(trace:quantile(H, Q) >= Q andalso trace:quantile(H, Q) =< Q * 9 div 8 + 1) || Q <- lists:seq(1, 1000)],
    ?assertEqual(0, trace:quantile([], 500)).

rows_test() ->
    S = trace:session_create(sums, self(), []),
    1 = trace:function(S, {?MODULE, f, 1}, [{['$1'], [], []}], [{sum, #{key => {expression, '$1'}, rows => 10}}]),
    [?MODULE:f({key, N}) || N <- lists:seq(1, 1000)],
    {sum, #{rows := Rows, other := {other, #{count := Other}}}} = trace:info(S, {?MODULE, f, 1}, sum),
    ?assert(length(Rows) >= 10),
    ?assert(length(Rows) =< 10 * (erlang:system_info(schedulers) + 1)),
    ?assertEqual(1000, Other + lists:sum([N || {_, #{count := N}} <- Rows])),
    trace:session_destroy(S).

many_keys_test() ->
    Read = with_sum({?MODULE, f, 1}, [{['$1'], [], []}], #{key => {expression, '$1'}, rows => 100000},
                    fun() -> [[?MODULE:f({key, N}) || N <- lists:seq(1, 5000)] || _ <- [1, 2]] end),
    ?assertEqual([{{key, N}, 2} || N <- lists:seq(1, 5000)], counts(Read)).

only_traced_test() ->
    S = trace:session_create(sums, self(), []),
    1 = trace:function(S, {?MODULE, f, 1}, true, [{sum, #{only => traced}}]),
    ?MODULE:f(1),
    elsewhere(fun() -> trace:process(S, self(), true, [call]), ?MODULE:f(1), ?MODULE:f(2) end),
    {sum, Read} = trace:info(S, {?MODULE, f, 1}, sum),
    ?assertEqual([{[], 2}], counts(Read)),
    trace:session_destroy(S).

pause_test_() ->
    [{lists:flatten(io_lib:format("~p", [Sum])), fun() -> pauses(Sum) end} || Sum <- [#{}, #{key => process}]].

pauses(Sum) ->
    S = trace:session_create(sums, self(), []),
    MFA = {?MODULE, f, 1},
    Count = fun() -> {sum, Read} = trace:info(S, MFA, sum), lists:sum([N || {_, N} <- counts(Read)]) end,
    1 = trace:function(S, MFA, true, [{sum, Sum}]),
    ?MODULE:f(1),
    ?assertEqual(1, Count()),
    1 = trace:function(S, MFA, pause, [sum]),
    ?MODULE:f(1),
    ?assertEqual(1, Count()),
    1 = trace:function(S, MFA, restart, [sum]),
    ?assertEqual(0, Count()),
    ?MODULE:f(1),
    ?assertEqual(1, Count()),
    1 = trace:function(S, MFA, false, [sum]),
    ?assertEqual({sum, false}, trace:info(S, MFA, sum)),
    ?assertEqual([], trace:session_info(MFA)),
    trace:session_destroy(S).

%% A call under way when its sum goes counts nowhere.
gone_meanwhile_test() ->
    S = trace:session_create(sums, self(), []),
    1 = trace:function(S, {?MODULE, slow, 0}, true, [{sum, #{value => time}}]),
    {P, R} = spawn_monitor(fun() -> ?MODULE:slow() end),
    timer:sleep(5),
    true = trace:session_destroy(S),
    receive {'DOWN', R, process, P, normal} -> ok end.

%% Beside other kinds, and of two sessions.
beside_test() ->
    S = trace:session_create(sums, self(), []),
    T = trace:session_create(more, self(), []),
    MFA = {?MODULE, f, 1},
    1 = trace:function(S, MFA, true, [{sum, #{key => process}}]),
    1 = trace:function(T, MFA, true, [{sum, #{}}]),
    1 = trace:function(S, MFA, true, [call_count]),
    times(10, fun() -> ?MODULE:f(1) end),
    ?assertEqual({call_count, 10}, trace:info(S, MFA, call_count)),
    {sum, A} = trace:info(S, MFA, sum),
    {sum, B} = trace:info(T, MFA, sum),
    ?assertEqual({[{self(), 10}], [{[], 10}]}, {counts(A), counts(B)}),
    trace:session_destroy(S),
    ?MODULE:f(1),
    {sum, C} = trace:info(T, MFA, sum),
    ?assertEqual([{[], 11}], counts(C)),
    trace:session_destroy(T).

%% New code goes on with the figures, where the session keeps its patterns; `on_load` begins.
reload_test() ->
    S = trace:session_create(sums, self(), [{reload, keep}]),
    load(1),
    1 = trace:function(S, {?M, f, 1}, true, [{sum, #{key => function}}]),
    ?M:f(1),
    load(2),
    ?M:f(1),
    {sum, Read} = trace:info(S, {?M, f, 1}, sum),
    ?assertEqual([{{?M, f, 1}, 2}], counts(Read)),
    trace:session_destroy(S),
    T = trace:session_create(sums, self(), []),
    0 = trace:function(T, on_load, true, [{sum, #{key => function}}]),
    load(3),
    ?M:f(1),
    {sum, New} = trace:info(T, {?M, f, 1}, sum),
    ?assert(lists:member({{?M, f, 1}, 1}, counts(New))),
    trace:session_destroy(T),
    code:purge(?M),
    code:delete(?M),
    code:purge(?M).

load(V) ->
    Forms = [{attribute, 1, module, ?M}, {attribute, 1, export, [{f, 1}]},
             {function, 1, f, 1, [{clause, 1, [{var, 1, 'X'}], [], [{tuple, 1, [{integer, 1, V}, {var, 1, 'X'}]}]}]}],
    {ok, ?M, Code} = compile:forms(Forms, []),
    code:purge(?M),
    {module, ?M} = code:load_binary(?M, "", Code).

%% Many processes on all schedulers, the tables read and begun anew meanwhile.
all_at_once_test_() -> {timeout, 120, fun all_at_once/0}.

all_at_once() ->
    S = trace:session_create(sums, self(), []),
    Sum = #{key => [{expression, '$1'}, process], value => {expression, '$2'}, histogram => true},
    1 = trace:function(S, {?MODULE, g, 2}, [{['$1', '$2'], [], []}], [{sum, Sum}]),
    Work = fun() -> [?MODULE:g({N rem 7, "key"}, N) || N <- lists:seq(1, 3000)] end,
    Ps = [spawn_monitor(Work) || _ <- lists:seq(1, 20)],
    times(50, fun() -> {sum, _} = trace:info(S, {?MODULE, g, 2}, sum) end),
    [receive {'DOWN', R, process, P, normal} -> ok end || {P, R} <- Ps],
    {sum, Read} = trace:info(S, {?MODULE, g, 2}, sum),
    ?assertEqual(140, length(rows(Read))),
    ?assertEqual(60000, lists:sum([N || {_, N} <- counts(Read)])),
    ?assertEqual(20 * 3000 * 3001 div 2, lists:sum([All || {_, #{sum := All}} <- rows(Read)])),
    ?assertEqual(60000, lists:sum([N || {_, #{histogram := H}} <- rows(Read), {_, _, N} <- H])),
    trace:session_destroy(S).

refused_test_() ->
    [{lists:flatten(io_lib:format("~p", [Options])), fun() -> refused(Options) end} ||
        Options <- [[{sum, #{key => nothing}}], [{sum, #{key => [process, process, process, process, process]}}],
                    [{sum, #{value => 2}}], [{sum, #{rows => 0}}], [{sum, #{rows => 100001}}], [{sum, #{only => some}}],
                    [{sum, #{histogram => maybe_so}}], [{sum, #{unknown => 1}}], [sum], [{sum, []}],
                    [local, {sum, #{}}], [{sum, #{key => {expression, '$7'}}}],
                    [{sum, #{key => {expression, {no_such, 1}}}}], [{sum, #{key => expression}}],
                    [{sum, #{value => expression}}], [{sum, #{key => [{expression, '$_'}, expression]}}]]].

refused(Options) ->
    S = trace:session_create(sums, self(), []),
    [?assertError(badarg, trace:function(S, F, true, Options)) || F <- [{?MODULE, f, 1}, on_load]],
    ?assertEqual([], trace:session_info({?MODULE, f, 1})),
    trace:session_destroy(S).

%% To the native itself, which takes nothing for granted: what has expressions needs a specification that gives them.
native_test() ->
    S = trace:session_create(sums, self(), []),
    [?assertError(badarg, erts_internal:trace_pattern(S, F, All, [{sum, {Parts, false, Value, false, 10, all}}])) ||
        F <- [{?MODULE, f, 1}, on_load], All <- [true, []], {Parts, Value} <- [{[expression], 1}, {[], expression}]],
    ?assertEqual([], trace:session_info({?MODULE, f, 1})),
    [?assertEqual({Parts, Value, Result, {[], 2}}, {Parts, Value, Result, of_native(S, Parts, Value, Result)}) ||
        {Parts, Value} <- [{[expression], 1}, {[expression], time}, {[], expression}, {[expression], expression}],
        Result <- ['$1', {{}}, {{1, 2, 3}}]],
    trace:session_destroy(S).

of_native(S, Parts, Value, Result) ->
    1 = erts_internal:trace_pattern(S, {?MODULE, f, 1}, [{['$1'], [], [Result]}],
                                    [{sum, {Parts, false, Value, false, 10, all}}]),
    [?MODULE:f(X) || X <- [1, {a, b, c}]],
    {sum, #{invalid := Invalid} = Read} = trace:info(S, {?MODULE, f, 1}, sum),
    1 = trace:function(S, {?MODULE, f, 1}, false, [sum]),
    {counts(Read), Invalid}.

%% A session's limit cuts expressions of keys: what is equal then is one row.
cut_keys_test() ->
    S = trace:session_create(sums, self(), [{limit, #{depth => 2, size => 6}}]),
    1 = trace:function(S, {?MODULE, g, 2}, [{['_', '$1'], [], []}], [{sum, #{key => {expression, '$1'}}}]),
    Keys = [a, {a, b}, {{{a}}}, {{{b}}}, [1, 2, 3, 4, 5], [1, 2, 3, 4, 6], <<0:4096>>],
    [?MODULE:g(x, Key) || Key <- Keys],
    {sum, Read} = trace:info(S, {?MODULE, g, 2}, sum),
    true = trace:session_destroy(S),
    ?assertEqual(lists:sort([{a, 1}, {{a, b}, 1}, {{{'...'}}, 2}, {[1, 2, 3 | '...'], 2}, {{'...', 512, <<>>}, 1}]),
                 counts(Read)).

%% Binaries in keys are whole, and are compared as terms, wherever they lie: on a heap, outside of it, in parts of
%% others, not of whole bytes, in the middle of a match. They go with the session.
binary_keys_test() ->
    erlang:garbage_collect(),
    Before = erlang:memory(binary),
    S = trace:session_create(sums, self(), []),
    1 = trace:function(S, {?MODULE, f, 1}, [{['$1'], [], []}], [{sum, #{key => {expression, '$1'}}}]),
    Reasons = [elsewhere(fun() -> binary_keys(), exit(done) end) || _ <- lists:seq(1, 3)],
    ?assertEqual([done, done, done], Reasons),
    {sum, Read} = trace:info(S, {?MODULE, f, 1}, sum),
    ?assertEqual(lists:sort([{<<"small">>, 6}, {<<1:3>>, 3}, {<<7:300000>>, 6}, {{<<"in">>, [<<9:999>>]}, 3},
                             {<<"tail of it">>, 3}, {<<0:2000000>>, 3}]), counts(Read)),
    true = trace:session_destroy(S),
    goes_back(Before + 200000, 6000).

binary_keys() ->
    Small = <<"small">>,
    Large = binary:copy(<<7:300000>>),
    <<_:8, Part:5/binary, _/binary>> = <<" small", 0:4096>>,
    <<_:8, Same:300000/bits, _/bits>> = <<0, Large/bits, 0:4096>>,
    [?MODULE:f(Key) || Key <- [Small, Part, <<1:3>>, Large, Same, {<<"in">>, [<<9:999>>]}, <<0:2000000>>]],
    matched(<<"a tail of it">>).

matched(<<_:16, Rest/binary>>) -> ?MODULE:f(Rest).

goes_back(Most, N) ->
    erlang:garbage_collect(),
    case erlang:memory(binary) < Most of
        true -> ok;
        false when N > 0 -> timer:sleep(10), goes_back(Most, N - 1)
    end.
