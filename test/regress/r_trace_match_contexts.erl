%% Functions that take a binary apart and call each other in the middle of it: to who traces them the argument is the
%% rest, also in match specifications; and the function goes on with it as if nobody had looked.
-module(r_trace_match_contexts).
-export([main/0]).

main() ->
    [io:format("~0p ~0p: ~0p~n", [Spec, Kind, traced(Spec, Kind)])
     || Kind <- [[local], [meta], [local, meta], [call_time], [call_count]],
        Spec <- [[], [{'_', [], [{return_trace}]}], [{['$1', '_'], [{'<', {size, '$1'}, 3}], [{message, '$1'}]}],
                 [{['_', '$1'], [{is_binary, '$1'}], [{message, {byte_size, '$1'}}]}], [{['$1', '_'], [], [{message, {{'$_', '$*'}}}]}]]].

traced(Spec, Kind) ->
    Functions = [{?MODULE, F, 2} || F <- [bytes, sum, bits, odd, even]],
    Main = self(),
    {P, M} = spawn_monitor(fun() -> receive go -> ok end, Main ! {self(), work()} end),
    erlang:trace(P, true, [call]),
    [try erlang:trace_pattern(F, Spec, Kind) catch error:badarg -> refused end || F <- Functions],
    P ! go,
    Result = receive {P, R} -> R end,
    receive {'DOWN', M, _, _, _} -> ok end,
    Ref = erlang:trace_delivered(P),
    receive {trace_delivered, P, Ref} -> ok end,
    [erlang:trace_pattern(F, false, Kind) || F <- Functions],
    {Result, taken(P)}.

taken(P) ->
    receive
        T when element(1, T) =:= trace, element(2, T) =:= P -> [list_to_tuple(tl(tl(tuple_to_list(T)))) | taken(P)];
        T when element(1, T) =:= trace_ts, element(2, T) =:= P ->
            [list_to_tuple(lists:droplast(tl(tl(tuple_to_list(T))))) | taken(P)]
    after 0 -> []
    end.

work() ->
    [bytes(<<1, 2, 3, 4>>, 0), sum(0, <<1, 2, 3>>), bits(<<3:4, 5:4, 7:4, 11:5>>, 0), odd(<<"abcdef">>, [])].

bytes(<<B, Rest/binary>>, Sum) -> bytes(Rest, Sum + B);
bytes(<<>>, Sum) -> Sum.

sum(Sum, <<B, Rest/binary>>) -> sum(Sum + B, Rest);
sum(Sum, <<>>) -> Sum.

bits(<<B:4, Rest/bits>>, Sum) -> bits(Rest, Sum + B);
bits(<<Rest/bits>>, Sum) -> {Sum, Rest}.

odd(<<C, Rest/binary>>, L) -> even(Rest, [C | L]);
odd(<<>>, L) -> L.

even(<<_, Rest/binary>>, L) -> odd(Rest, L);
even(<<>>, L) -> L.
