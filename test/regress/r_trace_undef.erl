%% Calls of what is not there, while error/1 and what leads to it are traced: who raises undef is error_handler's crash/1.
%% And demonitor with `flush` is a receive that waits for nothing.
-module(r_trace_undef).
-export([main/0, to/1]).

main() ->
    [io:format("~0p ~0p: ~0p~n", [F, Flags, undefined(F, Flags)]) || F <- [none, no_module, fun_of_none], Flags <- [[], [return_to]]],
    [io:format("~0p: ~0p~n", [Name, flushed(Fun)]) || {Name, Fun} <- flushes()].

to(none) -> ?MODULE:nothing(1);
to(no_module) -> r_trace_undef_no_module:f(2);
to(fun_of_none) -> (fun r_trace_undef_no_module:g/1)(3).

undefined(F, Flags) ->
    catch to(F), % what is loaded is loaded
    Main = self(),
    P = spawn(fun() -> receive go -> catch to(F) end, Main ! {self(), done}, receive stop -> ok end end),
    erlang:trace(P, true, [call | Flags]),
    Traced = [{erlang, error, 1}, {erlang, raise, 3}, {?MODULE, to, 1}],
    [1 = erlang:trace_pattern(M, [{'_', [], [{exception_trace}]}], [local]) || M <- Traced],
    P ! go,
    Told = told(P),
    [erlang:trace_pattern(M, false, [local]) || M <- Traced],
    exit(P, kill),
    [plain(E) || E <- Told].

plain({call, {erlang, raise, [C, R, [{M, F, A, _} | _]]}}) -> {raise, C, R, {M, F, A}};
plain(E) -> E.

flushes() ->
    [{alive, fun(P) -> demonitor(monitor(process, P), [flush]) end},
     {with_info, fun(P) -> demonitor(monitor(process, P), [flush, info]) end},
     {no_flush, fun(P) -> demonitor(monitor(process, P)) end},
     {oneself, fun(_) -> demonitor(monitor(process, self()), [flush]) end},
     {twice, fun(P) -> M = monitor(process, P), demonitor(M), demonitor(M, [flush]) end},
     {none, fun(_) -> demonitor(make_ref(), [flush, info]) end},
     {come, fun(_) ->
          {Q, M} = spawn_monitor(fun() -> ok end),
          N = monitor(process, Q),
          both_come(),
          receive {'DOWN', N, _, _, _} -> demonitor(M, [flush]) end end}].

both_come() ->
    case process_info(self(), message_queue_len) of
        {_, 2} -> ok;
        _ -> erlang:yield(), both_come()
    end.

flushed(Fun) ->
    Other = spawn(fun() -> receive stop -> ok end end),
    Main = self(),
    P = spawn(fun() -> receive go -> Fun(Other) end, Main ! {self(), done}, receive stop -> ok end end),
    erlang:trace(P, true, ['receive']),
    P ! go,
    Told = [case E of {'receive', {Tag, _, _, _, _}} -> Tag; {'receive', M} -> M end || E <- told(P)],
    exit(P, kill),
    Told.

%% When it has said that it is done.
told(P) ->
    receive {P, done} -> ok end,
    Ref = erlang:trace_delivered(P),
    receive {trace_delivered, P, Ref} -> ok end,
    taken(P).

taken(P) ->
    receive T when element(1, T) =:= trace, element(2, T) =:= P -> [list_to_tuple(tl(tl(tuple_to_list(T)))) | taken(P)]
    after 0 -> []
    end.
