%% Work on large input: its results, that it is paid for, and what happens to a process in the middle of it.
-module(process_long_work).
-export([main/0]).
-include("../t.hrl").

main() ->
    io:format("~p~n", [results(inputs())]),
    t(reductions, fun() -> [Name || {Name, F} <- operations(inputs()), not unpaid_in_stock(Name), paid(F) < 1000] end),
    t(killed, fun() -> ended(fun(P) -> exit(P, kill) end) end),
    t(exit_signal, fun() -> ended(fun(P) -> exit(P, enough) end) end),
    t(suspended, fun suspended/0),
    t(collected, fun collected/0),
    t(asked, fun asked/0),
    t(many_at_once, fun many_at_once/0),
    t(messages_in_order, fun messages_in_order/0),
    t(caught, fun caught/0).

inputs() ->
    List = lists:seq(1, 150000),
    Deep = [{N, [N, N], <<N:32>>} || N <- lists:seq(1, 20000)],
    #{list => List, twin => lists:seq(1, 150000), deep => Deep, deep_twin => copy(Deep), bytes => bytes(),
      map => maps:from_list([{{k, N}, N} || N <- lists:seq(1, 15000)]),
      map_twin => maps:from_list([{{k, N}, N} || N <- lists:seq(15000, 1, -1)]),
      iolist => [[<<"abc">>, $d, [<<"efg">>]] || _ <- lists:seq(1, 50000)],
      integer => (1 bsl 150000) - 12345}.

bytes() -> binary:copy(<<"abcdefghijklmno,">>, 70000).
copy(T) -> binary_to_term(term_to_binary(T)).

operations(#{list := L, twin := T, deep := D, deep_twin := D2, bytes := B, map := M, map_twin := M2, iolist := IO,
             integer := I}) ->
    [{eq, fun() -> {L == T, D =:= D2, M =:= M2, B == binary:copy(B)} end},
     {ne, fun() -> {L ++ [1] == T, D =/= D2, M =:= M2#{x => y}} end},
     {order, fun() -> {L < T ++ [1], D < D2, M < M2#{{k, 1} => 2}, max(L, T ++ [x]) =:= L} end},
     {match, fun() -> (fun(X, X) -> same; (_, _) -> other end)(id(L), id(T)) end},
     {hash, fun() -> {erlang:phash2(D), erlang:phash2(M), erlang:phash2(B), erlang:phash2(L)} end},
     {md5, fun() -> binary:decode_unsigned(erlang:md5(IO)) end},
     {length, fun() -> {length(L), length(D)} end},
     {reverse, fun() -> erlang:phash2(lists:reverse(D)) end},
     {append, fun() -> erlang:phash2(D ++ L) end},
     {subtract, fun() -> {L -- T, length(L -- lists:seq(1, 150000, 7))} end},
     {member, fun() -> {lists:member(T, [[], L]), lists:keyfind(D2, 2, [{1, D}]) =:= {1, D2}} end},
     {tuple, fun() -> erlang:phash2(tuple_to_list(setelement(7, list_to_tuple(L), x))) end},
     {maps, fun() -> {map_size(maps:merge(M, maps:from_keys(L, 1))), lists:sum(maps:values(M)),
                      length(maps:keys(M2))} end},
     {large_key, fun() -> {map_get(T, M#{L => 1}), maps:find(D2, #{D => 2, L => 3})} end},
     {join, fun() -> {erlang:phash2(iolist_to_binary(IO)), iolist_size(IO),
                      erlang:phash2(iolist_to_binary(erlang:iolist_to_iovec([B, IO, B])))} end},
     {bits, fun() -> erlang:phash2(list_to_bitstring([<<(N band 7):3>> || N <- L])) end},
     {bytes, fun() -> erlang:phash2(binary_to_list(B)) end},
     {search, fun() -> {binary:match(B, <<"nope">>), binary:match(B, [<<"o,b">>, <<"no!">>]),
                        length(binary:matches(B, [<<"ab">>, <<"o,">>])), length(binary:split(B, <<",">>, [global])),
                        binary:longest_common_prefix([B, <<B/binary, 1>>]),
                        binary:longest_common_suffix([B, <<1, B/binary>>])} end},
     {needle_over_a_window, fun() ->
         [binary:match(<<(binary:copy(<<"x">>, N))/binary, "needle", (binary:copy(<<"y">>, 70000))/binary>>, P)
          || N <- [65530, 65531, 65535, 65536, 65537, 131070],
             P <- [<<"needle">>, [<<"needle">>, <<"eedley">>], [<<"zz">>, <<"need">>, <<"needlex">>]]] end},
     {regex, fun() -> {re:run(B, "nope"), re:run(B, "o,(a)b", [{offset, 500000}]),
                       re:run(binary:copy(<<"ab">>, 14), "(?:a|ab)(?:c|bcd|b|x)*(?:a|b|ab)*!", [report_errors]),
                       length(re:split(binary:part(B, 0, 400000), ","))} end},
     {etf, fun() -> binary:decode_unsigned(erlang:md5(term_to_binary(D))) end},
     {etf_compressed, fun() -> binary_to_term(term_to_binary(M, [compressed])) =:= M2 end},
     {unicode, fun() -> erlang:phash2(unicode:characters_to_list(unicode:characters_to_binary([N rem 2000 || N <- L])))
               end},
     {numbers, fun() -> {erlang:phash2(integer_to_list(I)), list_to_integer(integer_to_list(I)) =:= I,
                         erlang:phash2(I * I), (I * I + 7) div I =:= I, (I * I + 7) rem I} end},
     {copy, fun() -> self() ! D, receive D3 -> D3 =:= D2 end end}].

results(Inputs) -> [{Name, F()} || {Name, F} <- operations(Inputs)].

unpaid_in_stock(Name) -> lists:member(Name, [eq, ne, order, match, member, large_key, copy]).

%% In a process of its own. Only that large work is paid for: what it costs is each runtime's own.
paid(F) ->
    Self = self(),
    spawn(fun() ->
              {_, Before} = process_info(self(), reductions),
              F(),
              erlang:yield(),
              {_, After} = process_info(self(), reductions),
              Self ! {paid, After - Before}
          end),
    receive {paid, N} -> N end.

%% A process that works long and again and again is stopped by a signal.
ended(End) ->
    [begin
         {P, M} = spawn_monitor(fun() -> work() end),
         P ! {self(), inputs()},
         receive {P, begun} -> ok end,
         [erlang:yield() || _ <- lists:seq(1, N)],
         End(P),
         receive {'DOWN', M, process, P, Reason} -> Reason end
     end || N <- [1, 30]].

work() ->
    receive
        {From, Inputs} ->
            From ! {self(), begun},
            work(Inputs, 0)
    end.

work(Inputs, N) ->
    results(Inputs#{integer => 1 bsl 1000}),
    work(Inputs, N + 1).

suspended() ->
    {P, M} = spawn_monitor(fun() -> work() end),
    P ! {self(), inputs()},
    receive {P, begun} -> ok end,
    true = erlang:suspend_process(P),
    {status, suspended} = process_info(P, status),
    true = erlang:resume_process(P),
    exit(P, kill),
    receive {'DOWN', M, process, P, Reason} -> Reason end.

collected() ->
    {P, M} = spawn_monitor(fun() -> work() end),
    P ! {self(), inputs()},
    receive {P, begun} -> ok end,
    Done = [erlang:garbage_collect(P) || _ <- lists:seq(1, 5)],
    exit(P, kill),
    receive {'DOWN', M, process, P, Reason} -> {Done, Reason} end.

asked() ->
    {P, M} = spawn_monitor(fun() -> work() end),
    P ! {self(), inputs()},
    receive {P, begun} -> ok end,
    Answers = [element(1, process_info(P, Item)) || Item <- [message_queue_len, links, reductions, current_function]],
    exit(P, kill),
    receive {'DOWN', M, process, P, Reason} -> {Answers, Reason} end.

many_at_once() ->
    Inputs = inputs(),
    Names = [eq, order, hash, join, maps],
    Expected = [{N, V} || {N, V} <- results(Inputs), lists:member(N, Names)],
    Workers = [spawn_monitor(fun() -> exit([{N, F()} || {N, F} <- operations(inputs()), lists:member(N, Names)]) end)
               || _ <- lists:seq(1, 6)],
    [receive {'DOWN', M, process, P, Result} -> Result =:= Expected end || {P, M} <- Workers].

%% Large and small ones by turns, from one process to another.
messages_in_order() ->
    #{deep := Deep} = inputs(),
    Self = self(),
    P = spawn(fun() -> Self ! {order, [receive {N, _} -> N end || _ <- lists:seq(1, 20)]} end),
    [P ! {N, case N rem 4 of 0 -> Deep; _ -> N end} || N <- lists:seq(1, 20)],
    receive {order, Order} -> Order =:= lists:seq(1, 20) end.

%% The place of a failure after long work is the place of the call.
caught() ->
    #{list := L} = inputs(),
    {catch_of(fun() -> length(L ++ x) end), catch_of(fun() -> L -- x end), catch_of(fun() -> lists:reverse(L ++ x) end),
     catch_of(fun() -> list_to_tuple(L ++ x) end), catch_of(fun() -> maps:from_list(L) end),
     catch_of(fun() -> iolist_to_binary([L]) end)}.

catch_of(F) -> try F() of V -> {value, V} catch C:R:S -> {C, shorten(R), place(hd(S))} end.

place({M, F, A, _}) when is_list(A) -> {M, F, length(A)};
place({M, F, A, _}) -> {M, F, A}.

shorten(badarg) -> badarg;
shorten(_) -> other.
