%% Calls that are under way when their process becomes sensitive, loses its flags or ends: what is told of their ends.
-module(r_trace_sensitive_calls).
-export([main/0, served/1, hides/1, inner/1, ends_trace/1, silences/1]).

main() ->
    [io:format("~p: ~0p~n", [Name, told(Flags, Patterns, Do)]) || {Name, Flags, Patterns, Do} <- cases()].

cases() ->
    Return = [{'_', [], [{return_trace}]}],
    Exception = [{'_', [], [{exception_trace}]}],
    Ends = [{'_', [], [{trace, [all], []}]}],
    Hides = fun(P) -> run(P, fun() -> hides(true) end) end,
    Kills = fun(P) -> begin_in(P, []), killed(P) end,
    Hidden = fun(P) -> begin_in(P, [fun() -> process_flag(sensitive, true) end]), killed(P) end,
    Untraced = fun(P) -> begin_in(P, []), erlang:trace(P, false, [all]), killed(P) end,
    [{Name, Flags, [{{?MODULE, F, 1}, Spec, How} || F <- Functions], Do}
     || {Name, Functions, Do} <- [{hides, [hides, inner], Hides}, {killed, [served, inner], Kills},
                                  {killed_hidden, [inner], Hidden}, {killed_untraced, [inner], Untraced}],
        Flags <- [[call], [call, return_to]], Spec <- [true, Return, Exception],
        How <- [[local], [meta], [local, meta], [local, meta, call_time]]] ++
    [{{trace_ends, Silent}, [call], [{{?MODULE, ends_trace, 1}, [{'_', [], Actions}], [local]}],
      fun(P) -> run(P, fun() -> ends_trace(x) end) end}
     || {Silent, Actions} <- [{no, element(3, hd(Ends))}, {after_it, [{trace, [all], []}, {silent, true}]},
                              {taken_back, [{trace, [all], []}, {silent, true}, {silent, false}]},
                              {before_it, [{silent, true}, {trace, [all], []}]},
                              {flag, [{trace, [all], []}, {enable_trace, silent}]},
                              {alone, [{disable_trace, call}, {silent, true}]}]].

hides(How) -> R = inner(fun() -> process_flag(sensitive, How) end), {R}.
inner(F) -> {F()}.
ends_trace(X) -> [X].
silences(X) -> [X].

served(Main) ->
    receive
        {run, F} -> Main ! {self(), catch F()}, served(Main);
        {inner, Fs} -> catch inner(fun() -> [F() || F <- Fs], Main ! {self(), inner}, receive never -> ok end end)
    end.

run(P, F) -> P ! {run, F}, receive {P, R} -> R end.
begin_in(P, Fs) -> P ! {inner, Fs}, receive {P, inner} -> ok end.
killed(P) -> M = monitor(process, P), exit(P, kill), receive {'DOWN', M, process, P, _} -> ok end.

told(Flags, Patterns, Do) ->
    Main = self(),
    P = spawn(?MODULE, served, [Main]),
    run(P, fun() -> ok end),
    erlang:trace(P, true, Flags),
    [erlang:trace_pattern(F, case lists:member(call_time, How) of true -> true; false -> Spec end, How -- [meta])
     || {F, Spec, How} <- Patterns, How -- [meta] =/= []],
    [erlang:trace_pattern(F, Spec, [meta]) || {F, Spec, How} <- Patterns, lists:member(meta, How)],
    Do(P),
    Delivered = erlang:trace_delivered(P),
    receive {trace_delivered, P, Delivered} -> ok end,
    Events = tags(P),
    Left = case is_process_alive(P) of true -> erlang:trace_info(P, flags); false -> gone end,
    [erlang:trace_pattern(F, false, [local, meta, call_time]) || {F, _, _} <- Patterns],
    exit(P, kill),
    {Events, Left}.

tags(P) ->
    receive
        E when element(2, E) =:= P, element(1, E) =:= trace; element(2, E) =:= P, element(1, E) =:= trace_ts ->
            {_, F, _} = case element(4, E) of {_, _, _} = Function -> Function; Other -> {x, Other, x} end,
            [{element(1, E), element(3, E), F} | tags(P)]
    after 0 -> []
    end.
