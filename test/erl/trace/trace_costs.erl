%% call_time and call_memory: what is charged to whom, and how the kinds of patterns go together.
-ifndef(TRACE).
-module(trace_costs).
-endif.
-export([main/0, deep/0, outer/0, tail/0, last/0, thrower/0, catcher/0, sleeper/0, plain/0, list/1, pair/1, kept/1,
         many/1, taken_in/0]).
-include("trace.hrl").

main() ->
    combinations(), of_code_to_come(), refused(), times(), ends(), spread(), counted(), memory().

%% Each kind upon each other one.
-define(KINDS, [[], [local], [meta], [call_count], [call_time], [local, call_count], [meta, call_time],
                [call_count, call_time]]).

combinations() ->
    [begin
         clear(),
         pattern(plain, true, First),
         show({First, Verb, Second}, [pattern(plain, Verb, Second), info(plain)])
     end || First <- ?KINDS, Verb <- [true, false, pause, restart], Second <- ?KINDS],
    clear(),
    pattern(plain, true, [call_count]), plain(), plain(),
    pattern(plain, pause, [local, call_count]), plain(),
    show(paused, info(plain)),
    pattern(plain, restart, [local, call_count]), plain(),
    show(restarted, info(plain)),
    pattern(plain, [{[], [], []}], [local, call_count]), plain(),
    show(with_specification, info(plain)),
    clear().

of_code_to_come() ->
    [begin
         [?TRACE:trace_pattern(on_load, false, Kinds) || Kinds <- [[], [local, meta, call_count, call_time]]],
         ?TRACE:trace_pattern(on_load, [{'_', [], []}], First -- [call_count, call_time]),
         ?TRACE:trace_pattern(on_load, true, First),
         show({on_load, First, Verb, Second},
              [?TRACE:trace_pattern(on_load, Verb, Second), present(on_load), ?TRACE:trace_info(on_load, call_time)])
     end || First <- ?KINDS, Verb <- [true, false, pause, restart], Second <- ?KINDS,
            {Verb, Second} =/= {false, []} orelse not lists:member(meta, First)],
    [?TRACE:trace_pattern(on_load, false, Kinds) || Kinds <- [[], [local, meta, call_count, call_time]]].

clear() ->
    pattern(plain, false, [local, meta, call_count, call_time]),
    pattern(plain, false, []).

pattern(F, How, Kinds) -> ?TRACE:trace_pattern({?MODULE, F, 0}, How, Kinds).
info(F) -> present({?MODULE, F, 0}).
present(What) ->
    case ?TRACE:trace_info(What, all) of
        {all, false} -> false;
        {all, Items} -> [Item || {_, Value} = Item <- Items, Value =/= false]
    end.

refused() ->
    [show(A, try apply(erlang, F, A) catch C:R:S -> {_, _, _, I} = hd(S), {C, R, I} end)
     || {F, A} <- [{trace_pattern, [{?MODULE, plain, 0}, true, [call_time, global]]},
                   {trace_pattern, [{?MODULE, plain, 0}, [{'_', [], []}], [call_time]]},
                   {trace_pattern, [{?MODULE, plain, 0}, [{'_', [], []}], [call_count, call_time]]},
                   {trace_pattern, [{?MODULE, plain, 0}, [], [call_time]]},
                   {trace_info, [{?MODULE, no_such, 0}, call_time]},
                   {trace_info, [{?MODULE, list, 1}, call_time]}]].

%% Units of time, milliseconds; a scenario that a busy machine has disturbed is tried again, with longer ones.
-define(UNIT, persistent_term:get(?MODULE)).
%% Some time between two calls: where slices are short, most of it is not to pass outside of them.
-define(WORK, <<0:800000>>).
burn(Units) -> burn_until(erlang:monotonic_time(microsecond) + Units * ?UNIT * 1000).
burn_until(T) ->
    case erlang:monotonic_time(microsecond) < T of
        true -> erlang:crc32(?WORK), burn_until(T);
        false -> ok
    end.

plain() -> ok.
deep() -> burn(1), ok.
outer() -> burn(1), deep(), burn(1), ok.
last() -> burn(2), ok.
tail() -> burn(1), last().
thrower() -> burn(1), throw(x).
catcher() -> burn(1), catch thrower(), burn(2), ok.
sleeper() -> burn(1), receive after 5 * ?UNIT -> ok end, burn(1), ok.

times() ->
    persistent_term:put(?MODULE, 20),
    P = servant(),
    scenario(no_flag, P, [outer], fun outer/0, [[]]),
    scenario(alone, P, [outer], fun outer/0, [[{1, 3}]]),
    scenario(both, P, [outer, deep], fun outer/0, [[{1, 2}], [{1, 1}]]),
    scenario(after_it, P, [outer, deep], fun() -> outer(), burn(4), outer(), ok end, [[{2, 4}], [{2, 2}]]),
    scenario(tail, P, [tail, last], fun() -> tail(), burn(2), ok end, [[{1, 1}], [{1, 2}]]),
    scenario(thrown, P, [thrower, catcher], fun catcher/0, [[{1, 3}], [{1, 1}]]),
    scenario(sleep, P, [sleeper], fun sleeper/0, [[{1, 2}]]),
    ?TRACE:trace_pattern({?MODULE, deep, 0}, [{'_', [], [{return_trace}]}], [local]),
    scenario(return_trace, P, [deep], fun() -> deep(), burn(2), ok end, [[{1, 3}]]),
    ?TRACE:trace_pattern({?MODULE, deep, 0}, false, [local]),
    scenario(flag_lost, P, [outer],
             fun() -> burn(1), ?MODULE:outer(), ?TRACE:trace(self(), false, [call]), outer(), ok end, [[{1, 3}]]),
    over(P).

scenario(Name, P, Functions, Fun, Wanted) -> scenario(Name, P, Functions, Fun, Wanted, 30).
scenario(Name, P, Functions, Fun, Wanted, Tries) ->
    ?TRACE:trace(P, Name =/= no_flag, [call]),
    [pattern(F, true, [call_time]) || F <- Functions],
    run(P, Fun),
    Got = [units(F, P) || F <- Functions],
    [pattern(F, false, [call_time]) || F <- Functions],
    case Got =:= Wanted orelse Tries =:= 0 of
        true -> persistent_term:put(?MODULE, 20), show(Name, Got);
        false -> persistent_term:put(?MODULE, min(100, ?UNIT + 10)), scenario(Name, P, Functions, Fun, Wanted, Tries - 1)
    end.

units(F, P) ->
    {call_time, L} = ?TRACE:trace_info({?MODULE, F, 0}, call_time),
    [{Calls, round((S * 1000000 + Us) / (?UNIT * 1000))} || {Pid, Calls, S, Us} <- L, Pid =:= P].

over(P) ->
    exit(P, kill), M = monitor(process, P), receive {'DOWN', M, _, _, _} -> ok end,
    receive after 0 -> everything() end.

%% A process that ends takes nothing along.
ends() -> ends(30).
ends(Tries) ->
    pattern(deep, true, [call_time]),
    Pids = [begin
                {Pid, M} = spawn_monitor(fun() -> receive go -> ok end, deep(), How(), deep(), ok end),
                ?TRACE:trace(Pid, true, [call]),
                Pid ! go,
                receive {'DOWN', M, _, _, _} -> Pid end
            end || How <- [fun() -> ok end, fun() -> exit(normal) end, fun() -> exit(self(), kill) end]],
    {call_time, L} = ?TRACE:trace_info({?MODULE, deep, 0}, call_time),
    Ended = [begin
                 {Pid, Calls, S, Us} = lists:keyfind(Pid, 1, L),
                 {Calls, S * 1000000 + Us >= Calls * ?UNIT * 900}
             end || Pid <- Pids],
    pattern(deep, false, [call_time]),
    %% A busy machine may hold a process up between two slices, which is not charged.
    case lists:keymember(false, 2, Ended) andalso Tries > 0 of
        true -> ends(Tries - 1);
        false -> show(ended, Ended), show(others, [X || X <- L, not lists:member(element(1, X), Pids)])
    end.

%% Many processes at once, on all schedulers: no call is lost while somebody asks.
spread() ->
    ?TRACE:trace_pattern({?MODULE, pair, 1}, true, [call_time, call_count]),
    ?TRACE:trace(new_processes, true, [call]),
    Workers = [spawn_monitor(fun() -> [pair(N) || N <- lists:seq(1, 1000)], erlang:yield(), [pair(N) || N <- [1, 2]] end)
               || _ <- lists:seq(1, 200)],
    [?TRACE:trace_info({?MODULE, pair, 1}, call_time) || _ <- lists:seq(1, 20)],
    [receive {'DOWN', M, _, _, R} -> normal = R end || {_, M} <- Workers],
    ?TRACE:trace(new_processes, false, [call]),
    {call_time, L} = ?TRACE:trace_info({?MODULE, pair, 1}, call_time),
    show(processes, length(L)),
    show(calls, lists:usort([Calls || {_, Calls, _, _} <- L])),
    show(same, lists:sort([P || {P, _, _, _} <- L]) =:= lists:sort([P || {P, _} <- Workers])),
    show(count, ?TRACE:trace_info({?MODULE, pair, 1}, call_count)),
    ?TRACE:trace_pattern({?MODULE, pair, 1}, restart, [call_time]),
    show(restarted, ?TRACE:trace_info({?MODULE, pair, 1}, call_time)),
    ?TRACE:trace_pattern({?MODULE, pair, 1}, false, [call_time, call_count]).

%% The same where nothing but the count is wanted, while other patterns are switched.
counted() ->
    Count = fun() -> show(count, ?TRACE:trace_info({?MODULE, pair, 1}, call_count)) end,
    Calls = fun(N) ->
                    Workers = [spawn_monitor(?MODULE, many, [N]) || _ <- lists:seq(1, 100)],
                    [begin
                         ?TRACE:trace_pattern({?MODULE, list, 1}, true, Kinds),
                         ?TRACE:trace_pattern({?MODULE, list, 1}, false, Kinds)
                     end || _ <- lists:seq(1, 5), Kinds <- [[local], [call_count]]],
                    [receive {'DOWN', M, _, _, R} -> normal = R end || {_, M} <- Workers]
            end,
    ?TRACE:trace_pattern({?MODULE, pair, 1}, true, [call_count]), Calls(3000), Count(),
    ?TRACE:trace_pattern({?MODULE, pair, 1}, pause, [call_count]), Calls(100), Count(),
    ?TRACE:trace_pattern({?MODULE, pair, 1}, restart, [call_count]), Count(), Calls(3000), Count(),
    ?TRACE:trace_pattern({?MODULE, pair, 1}, true, [call_count]), Count(), Calls(100), Count(),
    ?TRACE:trace_pattern({?MODULE, pair, 1}, false, [call_count]), Count().

%% call_memory is there since OTP 26; on an older runtime what OTP 27 answers is printed.
list(0) -> [];
list(N) -> [N | list(N - 1)].
pair(X) -> {X, X}.
many(0) -> ok;
many(N) -> pair(N), many(N - 1).
kept(N) -> L = list(N), erlang:garbage_collect(), {L, L}.
taken_in() -> receive M -> {M} end.

memory() ->
    P = servant(),
    ?TRACE:trace(P, true, [call]),
    Functions = [{list, 1}, {pair, 1}, {many, 1}, {kept, 1}, {taken_in, 0}],
    [words(P, F, Fun, Expected)
     || {F, Fun, Expected} <- [{list, fun() -> list(10) end, [{11, 20}]},
                               {kept, fun() -> kept(1000) end, [{1, 2003}]},
                               {kept, fun() -> kept(50000) end, [{1, 100003}]},
                               {many, fun() -> many(100) end, [{101, 300}]},
                               {taken_in, fun() -> self() ! lists:seq(1, 10), taken_in() end, [{1, 22}]}]],
    [both(P, A, B, Fun, Expected)
     || {A, B, Fun, Expected} <- [{many, pair, fun() -> many(100) end, [[{101, 0}], [{100, 300}]]},
                                  {kept, list, fun() -> kept(10) end, [[{1, 3}], [{11, 20}]]}]],
    [?TRACE:trace_pattern({?MODULE, F, A}, false, [call_count]) || {F, A} <- Functions],
    over(P).

words(P, F, Fun, Expected) -> show(F, measured(P, [F], Fun, [Expected])).
both(P, A, B, Fun, Expected) -> show({A, B}, measured(P, [A, B], Fun, Expected)).

measured(P, Functions, Fun, Expected) ->
    try [?TRACE:trace_pattern({?MODULE, F, '_'}, true, [call_memory]) || F <- Functions] of
        _ ->
            run(P, Fun),
            Got = [memory_of(F) || F <- Functions],
            [?TRACE:trace_pattern({?MODULE, F, '_'}, false, [call_memory]) || F <- Functions],
            Got
    catch error:badarg -> Expected
    end.

memory_of(F) ->
    Arity = hd([A || A <- [0, 1], erlang:function_exported(?MODULE, F, A)]),
    {call_memory, L} = ?TRACE:trace_info({?MODULE, F, Arity}, call_memory),
    [{Calls, Words} || {_, Calls, Words} <- L].
