%% Messages: each arrives once, in order, as it was sent.
-module(storm_messages).
-include("storm.hrl").
-export([actions/0, order/0, noise/0, token/0]).
-import(storm_any, [chance/1, one_of/1, other/0, wait/1, down/1]).

actions() ->
    [{order, fun order/0}, {call, fun call/0}, {call_by_alias, fun call_by_alias/0}, {aliases, fun aliases/0},
     {noise, fun noise/0}, {selective, fun selective/0}, {same, fun same/0}, {by_name, fun by_name/0},
     {flood, fun flood/0}, {token, fun token/0}].

payload(I) ->
    case I rem 50 of
        0 -> storm_any:large_term();
        N when N < 10 -> storm_any:term();
        _ -> storm_any:small_term()
    end.

%% A child sends numbers until it ends or is killed: they come in order, without gaps, all that it had sent by then.
order() ->
    Self = self(),
    Sent = counters:new(1, []),
    Count = rand:uniform(200),
    {P, M} = spawn_opt(fun() -> send_numbers(Self, Sent, 1, Count) end, [monitor, {priority, one_of([low, normal])}]),
    chance(2) andalso exit(P, kill),
    Got = numbers(P, M, 1),
    All = counters:get(Sent, 1),
    true = Got =:= All orelse Got =:= All + 1.

send_numbers(_, _, I, Count) when I > Count -> ok;
send_numbers(To, Sent, I, Count) ->
    To ! {self(), I, payload(I)},
    counters:add(Sent, 1, 1),
    send_numbers(To, Sent, I + 1, Count).

numbers(P, M, Next) ->
    receive
        {P, I, _} -> Next = I, numbers(P, M, Next + 1);
        {'DOWN', M, process, P, _} -> receive {P, _, _} -> error(after_its_end) after 0 -> Next - 1 end
    end.

server() -> storm_any:server(rand:uniform(?SERVERS)).
what() ->
    case chance(20) of
        true -> dies;
        false -> one_of([hibernate, collect, selective, raise, {copy, storm_any:term()}])
    end.

%% Answered, or it is dead.
call() ->
    M = monitor(process, server()),
    What = what(),
    (catch server() ! {noise, before}),
    case whereis(server()) of
        undefined -> demonitor(M, [flush]);
        P -> demonitor(M, [flush]), call(P, What)
    end.

call(P, What) ->
    M = monitor(process, P),
    P ! {call, self(), M, What},
    receive
        {M, Answer} -> answer(What, Answer), demonitor(M, [flush]);
        {'DOWN', M, _, _, _} -> ok
    end.

answer({copy, X}, Y) when is_function(X) -> true = X =:= Y;
answer({copy, X}, Y) -> X = Y;
answer(_, Y) -> ok = Y.

call_by_alias() ->
    P = whereis(server()),
    What = what(),
    M = monitor(process, P, [{alias, one_of([reply_demonitor, demonitor, explicit_unalias])}]),
    P ! {call, M, M, What},
    receive
        {M, Answer} -> answer(What, Answer), demonitor(M, [flush]), unalias(M);
        {'DOWN', M, _, _, _} -> unalias(M)
    end.

%% Nothing comes through one that is over.
aliases() ->
    A = alias([one_of([reply, explicit_unalias])]),
    Self = self(),
    {P, M} = spawn_monitor(fun() -> [A ! {A, I} || I <- lists:seq(1, 10)], Self ! {A, done} end),
    chance(2) andalso wait(1),
    unalias(A),
    self() ! {A, over},
    down({P, M}),
    Before = until_over(A),
    true = Before =:= lists:seq(1, length(Before)),
    receive {A, done} -> ok after 0 -> ok end,
    receive {A, I} when is_integer(I) -> error({after_unalias, I}) after 0 -> ok end.

until_over(A) ->
    receive
        {A, over} -> [];
        {A, I} when is_integer(I) -> [I | until_over(A)];
        {A, done} -> self() ! {A, done}, until_over_done(A)
    end.

until_over_done(A) -> receive {A, over} -> []; {A, I} when is_integer(I) -> [I | until_over_done(A)] end.

noise() -> [other() ! {noise, storm_any:term()} || _ <- lists:seq(1, rand:uniform(20))].

flood() -> P = other(), [P ! {noise, I} || I <- lists:seq(1, 500)].

selective() ->
    Refs = [make_ref() || _ <- lists:seq(1, rand:uniform(50))],
    [self() ! {R, I} || {R, I} <- lists:zip(Refs, lists:seq(1, length(Refs)))],
    chance(3) andalso garbage_collect(),
    [receive {R, I} -> ok end || {R, I} <- lists:reverse(lists:zip(Refs, lists:seq(1, length(Refs))))].

%% A copy of it comes back.
same() ->
    X = case chance(5) of true -> storm_any:large_term(); false -> storm_any:term() end,
    Self = self(),
    {P, M} = spawn_monitor(fun() -> Self ! {self(), X} end),
    receive
        {P, Y} -> true = X =:= Y, down({P, M});
        {'DOWN', M, _, _, Reason} -> true = Reason =:= killed orelse element(1, Reason) =:= storm
    end.

by_name() -> server() ! {noise, storm_any:term()}.

token() ->
    seq_trace:set_token(label, rand:uniform(10)),
    seq_trace:set_token(one_of([send, 'receive', print, timestamp]), true),
    noise(),
    chance(3) andalso call(),
    seq_trace:set_token([]).
