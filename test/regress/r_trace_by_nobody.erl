%% What a match specification does to another process on behalf of one that nobody traces, when meta trace runs it: the
%% other's trace ends, unless a tracer is named.
-module(r_trace_by_nobody).
-export([main/0, f/1]).

f(X) -> X.

main() ->
    Sink = spawn(fun() -> receive stop -> ok end end),
    [show(A, acted(A, Sink)) || A <- actions(Sink)].

actions(Sink) ->
    [{trace, '$p', [send], []}, {trace, '$p', [], [send]}, {trace, '$p', [call], [procs]}, {trace, '$p', [], []},
     {trace, '$p', [all], [send, {const, {tracer, Sink}}]}, {enable_trace, '$p', send}, {enable_trace, '$p', call},
     {disable_trace, '$p', send}, {disable_trace, '$p', call}, {trace, [send], []}, {enable_trace, send},
     {disable_trace, send}, {silent, true}].

acted(Action, Sink) ->
    P = spawn(fun() -> receive stop -> ok end end),
    erlang:trace(P, true, [call, procs]),
    Own = list_to_tuple([case E of '$p' -> P; _ -> E end || E <- tuple_to_list(Action)]),
    erlang:trace_pattern({?MODULE, f, 1}, [{'_', [], [Own]}], [{meta, Sink}]),
    ?MODULE:f(1),
    Who = case erlang:trace_info(P, tracer) of
              {tracer, Sink} -> sink;
              {tracer, Self} when Self =:= self() -> caller;
              {tracer, []} -> nobody
          end,
    {erlang:trace_info(P, flags), Who}.

show(Action, Result) ->
    Plain = [case is_list(E) of true -> length(E); false -> E end || E <- tuple_to_list(Action)],
    io:format("~0p ~0p~n", [Plain, Result]).
