%% Processes in dirty calls, and literals that go meanwhile. They went only when all those calls were over, the one that
%% waits for standard input among them. (Beside it what is expected: the stock runtime of OTP 25 waits for the calls of
%% processes that were sent such a literal, or killed, and ends in a segmentation fault where a literal is an argument.)
-module(r_dirty_literals).
-export([main/0, hold/2, hold_later/2, hold_building/1, hold_alive/2, let_go/1, begun/1]).
-nifs([hold/2, hold_later/2, hold_building/1, hold_alive/2, let_go/1, begun/1]).

-define(WORDS, 600000).
-define(MUCH, 2500000). % bytes: about half of what such a term takes

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    make(1), % all that is loaded on the way is there from now on
    io:format("begun~n"),
    gone(settled()),
    Before = settled(),
    [io:format("~p ~p~n", [What, do(What, Before)]) || What <- [nothing, message, killed, argument, built, later]],
    io:format("all is gone ~p~n", [gone(Before)]).

%% The call refers to nothing that goes.
do(nothing, Before) ->
    P = held(1, 1),
    [make(I) || I <- lists:seq(1, 5)],
    {gone(Before), ended(P, 1)};
%% A message that was never looked at does.
do(message, Before) ->
    P = spawn(fun() -> 2 = hold(2, 2), receive {term, T} -> exit(digest(T)) end end),
    until(fun() -> begun(2) end),
    P ! {term, kept(2)},
    make(3),
    {gone(Before), ended(P, 2) =:= digest(term(2))};
%% Nor does what a killed process has left.
do(killed, Before) ->
    {P, M} = {held(3, 3), make_ref()},
    Ref = monitor(process, P, [{tag, M}]),
    exit(P, kill),
    receive {M, Ref, process, P, killed} -> ok end,
    make(4),
    Gone = gone(Before),
    let_go(3),
    Gone;
%% One that does keeps what it refers to for as long as it goes on, and the process for longer.
do(argument, _) ->
    P = spawn(fun() -> exit(digest(hold(4, kept(5)))) end),
    until(fun() -> begun(4) end),
    forget(5),
    ended(P, 4) =:= digest(term(5));
do(built, _) ->
    P = spawn(fun() -> {_, T} = hold(5, {made, kept(6)}), forget(6), garbage_collect(), exit(digest(T)) end),
    until(fun() -> begun(5) end),
    forget(6),
    R = ended(P, 5), R =:= digest(term(6)) orelse R;
do(later, _) ->
    P = spawn(fun() -> exit(digest(hold_later(6, kept(7)))) end),
    until(fun() -> begun(6) end),
    forget(7),
    ended(P, 6) =:= digest(term(7)).

term(I) -> {I, lists:seq(I, I + ?WORDS div 2)}.
digest(T) -> erlang:md5(term_to_binary(T)).

kept(I) ->
    persistent_term:put(?MODULE, term(I)),
    persistent_term:get(?MODULE).

make(I) ->
    persistent_term:put(?MODULE, term(I)),
    persistent_term:erase(?MODULE),
    ok.

%% And its memory is used by others.
forget(I) ->
    persistent_term:erase(?MODULE),
    [begin make(I + N), receive after 20 -> ok end end || N <- lists:seq(1, 5)].

held(Slot, Term) ->
    P = spawn(fun() -> exit(hold(Slot, Term)) end),
    until(fun() -> begun(Slot) end),
    P.

ended(P, Slot) ->
    M = monitor(process, P),
    let_go(Slot),
    receive {'DOWN', M, process, P, Reason} -> Reason after 100000 -> late end.

gone(Before) -> gone(Before, 50).
gone(Before, N) ->
    persistent_term:erase(?MODULE),
    case settled() - Before < ?MUCH of
        false when N > 0 -> gone(Before, N - 1);
        IsGone -> IsGone
    end.

%% What is going, goes a while later.
settled() -> settled(erlang:memory(system), 0).
settled(Memory, 5) -> Memory;
settled(Memory, N) ->
    receive after 10 -> ok end,
    erlang:garbage_collect(),
    Now = erlang:memory(system),
    case abs(Now - Memory) < ?MUCH div 10 of
        true -> settled(Memory, N + 1);
        false -> settled(Now, 0)
    end.

until(F) -> F() orelse begin receive after 1 -> ok end, until(F) end.

hold(_, _) -> erlang:nif_error(not_loaded).
hold_later(_, _) -> erlang:nif_error(not_loaded).
hold_building(_) -> erlang:nif_error(not_loaded).
hold_alive(_, _) -> erlang:nif_error(not_loaded).
let_go(_) -> erlang:nif_error(not_loaded).
begun(_) -> erlang:nif_error(not_loaded).
