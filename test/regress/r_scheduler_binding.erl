%% Schedulers are bound to processors, and given away by long calls meanwhile: types and their old ones, bad ones, who
%% is bound when all is calm; and what was computed is right.
-module(r_scheduler_binding).
-export([main/0]).

types() ->
    [no_spread, thread_spread, processor_spread, spread, no_node_thread_spread, no_node_processor_spread,
     thread_no_node_processor_spread, default_bind, unbound].

main() ->
    erlang:system_flag(system_logger, undefined),
    io:format("~p~n", [[set(T) || T <- types() ++ types() ++ [foo, 1, [], {spread}, "spread"]]]),
    io:format("~p~n", [busy()]),
    io:format("~p~n", [[{T, set(T), bound_as(T)} || T <- types()]]),
    io:format("~p~n", [topology()]).

set(T) ->
    try erlang:system_flag(scheduler_bind_type, T) of
        Old -> {Old, erlang:system_info(scheduler_bind_type)}
    catch Class:Reason -> {Class, Reason, erlang:system_info(scheduler_bind_type)}
    end.

%% There may be more schedulers than processors: as many are bound as can be, none twice.
bound_as(T) ->
    Most = min(erlang:system_info(schedulers_online), erlang:system_info(logical_processors_available)),
    Wanted = case T of unbound -> 0; _ -> Most end,
    eventually(fun() ->
        All = tuple_to_list(erlang:system_info(scheduler_bindings)),
        Bound = [B || B <- All, B =/= unbound],
        length(All) =:= erlang:system_info(schedulers) andalso length(Bound) =:= Wanted andalso
            lists:usort(Bound) =:= lists:sort(Bound) andalso lists:prefix(Bound, All)
    end).

eventually(F) -> eventually(F, 2000).
eventually(_, 0) -> {never, erlang:system_info(scheduler_bindings)};
eventually(F, N) ->
    case F() of
        true -> true;
        false -> receive after 10 -> eventually(F, N - 1) end
    end.

busy() ->
    Big = binary:decode_unsigned(binary:copy(<<255>>, 40000)),
    Expected = erlang:phash2(Big * Big),
    Workers = [spawn_monitor(fun() -> [Expected = erlang:phash2(Big * Big) || _ <- lists:seq(1, 20)] end)
               || _ <- lists:seq(1, 6)],
    Self = self(),
    Changers = [spawn_link(fun() -> change(60, lists:nthtail(I, types())), Self ! {self(), over} end) || I <- [0, 3, 5]],
    Ends = [receive {'DOWN', R, process, P, Why} -> Why end || {P, R} <- Workers],
    [receive {C, over} -> ok end || C <- Changers],
    erlang:system_flag(scheduler_bind_type, no_spread),
    {lists:usort(Ends), bound_as(no_spread)}.

change(0, _) -> ok;
change(N, []) -> change(N, types());
change(N, [T | Ts]) ->
    erlang:system_flag(scheduler_bind_type, T),
    case N rem 6 of
        0 -> erlang:system_flag(multi_scheduling, block_normal),
             erlang:system_flag(multi_scheduling, unblock_normal);
        _ -> receive after 1 -> ok end
    end,
    change(N - 1, Ts).

%% Bound anew, and not at all where there are no such processors.
topology() ->
    erlang:system_flag(scheduler_bind_type, spread),
    [Usable | _] = tuple_to_list(settled()),
    erlang:system_flag(cpu_topology, [{processor, {logical, Usable}}]),
    One = eventually(fun() ->
        [Usable | Others] = tuple_to_list(erlang:system_info(scheduler_bindings)),
        lists:usort(Others) -- [unbound] =:= []
    end),
    erlang:system_flag(cpu_topology, [{processor, {logical, 65535}}]),
    None = eventually(fun() -> lists:usort(tuple_to_list(erlang:system_info(scheduler_bindings))) =:= [unbound] end),
    erlang:system_flag(cpu_topology, undefined),
    All = bound_as(spread),
    erlang:system_flag(scheduler_bind_type, unbound),
    {One, None, All, bound_as(unbound)}.

settled() ->
    true = bound_as(spread),
    erlang:system_info(scheduler_bindings).
