%% What a process sends to itself is not copied: it stays where it is, and what it shares stays shared.
-module(r_send_to_self).
-export([main/0]).

main() ->
    io:format("shared: ~p~n", [shared()]),
    io:format("by its name: ~p~n", [by_name()]),
    io:format("kept off the heap: ~p~n", [off_heap()]),
    io:format("collected meanwhile: ~p~n", [collected()]),
    io:format("seen from outside: ~p~n", [seen()]),
    io:format("in order: ~p~n", [in_order()]),
    io:format("parts of binaries and funs: ~p~n", [parts()]),
    io:format("taken out of order: ~p~n", [selective()]),
    io:format("it ends with them: ~p~n", [ends()]),
    io:format("literals that go: ~p~n", [literals()]).

twice() -> X = lists:seq(1, 1000), [X, X].
same_size(T) -> erts_debug:size(T) =:= erts_debug:size(twice()).

shared() ->
    self() ! twice(),
    receive T -> {same_size(T), T =:= twice()} end.

by_name() ->
    register(itself, self()),
    itself ! twice(),
    receive T -> unregister(itself), same_size(T) end.

off_heap() ->
    Old = process_flag(message_queue_data, off_heap),
    self() ! twice(),
    receive T -> process_flag(message_queue_data, Old), {same_size(T), T =:= twice()} end.

collected() ->
    [self() ! {N, lists:seq(1, N), <<N:1600>>, #{N => [N]}} || N <- lists:seq(1, 50)],
    [begin garbage_collect(), lists:seq(1, 10000) end || _ <- lists:seq(1, 3)],
    self() ! last,
    garbage_collect(),
    [receive {N, L, <<N:1600>>, #{N := [N]}} -> L =:= lists:seq(1, N) orelse error(N) end || N <- lists:seq(1, 50)],
    receive last -> process_info(self(), message_queue_len) end.

seen() ->
    Parent = self(),
    P = spawn(fun() -> self() ! {a, "list"}, self() ! <<1:800>>, Parent ! ready, receive stop -> ok end end),
    receive ready -> ok end,
    Seen = {process_info(P, messages), process_info(P, message_queue_len)},
    P ! stop,
    {Seen, process_info(self(), messages)}.

in_order() ->
    Parent = self(),
    P = spawn(fun() ->
        Parent ! {self(), ready},
        receive go -> ok end, % others are behind it, perhaps not yet looked at
        self() ! own,
        Parent ! {self(), messages()}
    end),
    receive {P, ready} -> ok end,
    erlang:suspend_process(P),
    [P ! M || M <- [go, {other, 1}, {other, 2}]],
    erlang:resume_process(P),
    receive {P, All} -> All end.

messages() -> receive M -> [M | messages()] after 0 -> [] end.

parts() ->
    B = binary:copy(<<"0123456789">>, 100),
    <<_:8, Part:500/binary, _/binary>> = B,
    Fun = fun(X) -> {X, Part} end,
    self() ! {Part, Fun, B, make_ref(), self(), 1.5e300, 1 bsl 100},
    garbage_collect(),
    receive {P, F, B2, R, S, D, Big} -> {P =:= Part, F(1) =:= {1, P}, B2 =:= B, is_reference(R), S =:= self(), D, Big} end.

selective() ->
    [self() ! {N, [N]} || N <- lists:seq(1, 200)], % more than are kept in the heap
    garbage_collect(),
    Odd = [receive {N, L} -> hd(L) end || N <- lists:seq(199, 1, -2)],
    garbage_collect(),
    Even = [receive {N, L} -> hd(L) end || N <- lists:seq(2, 200, 2)],
    {lists:sum(Odd), lists:sum(Even), messages()}.

ends() ->
    {_, R} = spawn_monitor(fun() -> [self() ! {N, <<N:8000>>} || N <- lists:seq(1, 100)], exit(done) end),
    receive {'DOWN', R, _, _, Reason} -> Reason end.

literals() ->
    persistent_term:put(r_send_to_self, {keep, lists:seq(1, 100)}),
    self() ! {with, persistent_term:get(r_send_to_self)},
    self() ! persistent_term:get(r_send_to_self),
    persistent_term:erase(r_send_to_self),
    [persistent_term:put(other, lists:seq(1, N)) || N <- lists:seq(1, 50)],
    garbage_collect(),
    receive {with, {keep, A}} -> receive {keep, B} -> {lists:sum(A), lists:sum(B)} end end.
