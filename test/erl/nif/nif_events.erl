%% enif_select: messages when a descriptor is ready, and the ways to stop. Each case runs in a process of its own; the
%% ends of its pipes are numbered, and what happens to them is told to the test's process.
-module(nif_events).
-export([main/0]).
-nifs([open_pipe/2, write_to/2, fill_up/1, read_from/1, select_end/4, dirty_select/4, select_fd/3, custom/4,
       custom_to/4]).
-include("n.hrl").

-define(READ, 1).
-define(WRITE, 2).
-define(STOP, 4).
-define(CANCEL, 8).
-define(ERROR, 32).

main() ->
    ok = erlang:load_nif(library("nif_events"), 0),
    t(read, fun() -> on_pipe(fun read/3) end),
    t(dirty_read, fun() -> on_pipe(fun dirty_read/3) end),
    t(read_when_there_is, fun() -> on_pipe(fun read_when_there_is/3) end),
    t(one_message_for_one_select, fun() -> on_pipe(fun one_message/3) end),
    t(write, fun() -> on_pipe(fun write/3) end),
    t(write_when_full, fun() -> on_pipe(fun write_when_full/3) end),
    t(closed_other_end, fun() -> on_pipe(fun closed_other_end/3) end),
    t(error, fun() -> on_pipe(fun error/3) end),
    t(to_another, fun() -> on_pipe(fun to_another/3) end),
    t(to_dead, fun() -> on_pipe(fun to_dead/3) end),
    t(references, fun() -> on_pipe(fun references/3) end),
    t(custom, fun() -> on_pipe(fun custom_messages/3) end),
    t(custom_writes, fun() -> on_pipe(fun custom_writes/3) end),
    t(custom_to, fun() -> on_pipe(fun custom_to_test/3) end),
    t(select_again, fun() -> on_pipe(fun select_again/3) end),
    t(cancel, fun() -> on_pipe(fun cancel/3) end),
    t(cancel_nothing, fun() -> on_pipe(fun cancel_nothing/3) end),
    t(stop_unused, fun() -> on_pipe(fun stop_unused/3) end),
    t(stop_waiting, fun() -> on_pipe(fun stop_waiting/3) end),
    t(stop_after_event, fun() -> on_pipe(fun stop_after_event/3) end),
    t(stop_twice, fun() -> on_pipe(fun stop_twice/3) end),
    t(select_after_stop, fun() -> on_pipe(fun select_after_stop/3) end),
    t(bad_descriptors, fun() -> on_pipe(fun bad_descriptors/3) end),
    t(selected_object_lives, fun selected_object_lives/0),
    t(many_messages, fun() -> on_pipe(fun many_messages/3) end),
    t(many_pipes, fun many_pipes/0),
    t(closing_races, fun closing_races/0),
    t(rest, fun() -> [M || M <- flush(), element(1, M) =/= stopped, element(1, M) =/= died] end).

%% What Fun(Reader, Writer, Me) returns, where Me is the test's process.
on_pipe(Fun) ->
    Me = self(),
    {Pid, Ref} = spawn_monitor(fun() -> {R, W} = open_pipe(1, Me), exit({value, Fun(R, W, Me)}) end),
    receive {'DOWN', Ref, _, Pid, Why} -> case Why of {value, V} -> V; _ -> Why end end.

next() -> receive M -> M after 60000 -> nothing end.
none() -> receive M -> M after 20 -> none end.
name(R, W, M) when is_tuple(M) -> list_to_tuple([case X of R -> reader; W -> writer; _ when is_reference(X) -> ref; _ -> X end
                                                 || X <- tuple_to_list(M)]);
name(_, _, M) -> M.

%% Ends the use of an end, as it should be done: its stop function closes the descriptor, at once or soon.
stop(E) -> [case X of stop_called -> stop; stop_scheduled -> stop; _ -> X end || X <- select_end(E, ?STOP, none, undefined)].

read(R, W, _) ->
    S = select_end(R, ?READ, none, undefined),
    Before = none(),
    write_to(W, <<"hello">>),
    M = name(R, W, next()),
    {S, Before, M, read_from(R), none(), stop(R), stop(W)}.

dirty_read(R, W, _) ->
    S = dirty_select(R, ?READ, none, undefined),
    write_to(W, <<"hello">>),
    {S, name(R, W, next()), read_from(R), dirty_select(R, ?STOP, none, undefined)}.

read_when_there_is(R, W, _) ->
    write_to(W, <<"already">>),
    S = select_end(R, ?READ, none, undefined),
    {S, name(R, W, next()), read_from(R), read_from(R), stop(R)}.

one_message(R, W, _) ->
    select_end(R, ?READ, none, undefined),
    write_to(W, <<"a">>),
    A = name(R, W, next()),
    write_to(W, <<"b">>),
    B = none(),
    select_end(R, ?READ, none, undefined),
    C = name(R, W, next()),
    {A, B, C, read_from(R), stop(R)}.

write(R, W, _) -> {select_end(W, ?WRITE, none, undefined), name(R, W, next()), none(), stop(W)}.

write_when_full(R, W, _) ->
    Full = fill_up(W),
    S = select_end(W, ?WRITE, none, undefined),
    Before = none(),
    read_from(R),
    {Full, S, Before, name(R, W, next()), stop(W)}.

closed_other_end(R, W, Me) ->
    select_end(R, ?READ, none, undefined),
    Stopped = stop(W),
    {Stopped, name(R, W, next()), read_from(R), stop(R)}.

error(R, W, _) ->
    S = select_end(W, ?ERROR, none, undefined),
    Before = none(),
    stop(R),
    {S, Before, name(R, W, next()), stop(W)}.

to_another(R, W, Me) ->
    Self = self(),
    Other = spawn(fun() -> Self ! {other, name(R, W, next())} end),
    S = select_end(R, ?READ, Other, undefined),
    write_to(W, <<"x">>),
    {S, next(), stop(R)}.

to_dead(R, W, _) ->
    {Dead, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    S = select_end(R, ?READ, Dead, undefined),
    write_to(W, <<"x">>),
    None = none(),
    {S, None, select_end(R, ?READ, none, undefined), name(R, W, next()), stop(R)}.

references(R, W, _) ->
    Ref = make_ref(),
    write_to(W, <<"x">>),
    L = [begin
             S = select_end(R, ?READ, none, X),
             {S, case next() of {select, R, X, What} -> {same, What}; Other -> name(R, W, Other) end}
         end || X <- [Ref, undefined]],
    {L, stop(R)}.

custom_messages(R, W, _) ->
    write_to(W, <<"x">>),
    L = [{custom(R, read, Message, Own), next()} || Message <- [a, {"any", term, [1.0]}, lists:seq(1, 50)], Own <- [0, 1]],
    {L, stop(R)}.

custom_writes(R, W, _) ->
    A = {custom(W, write, {w, "1"}, 0), next(), custom(W, error, {e, "2"}, 1)},
    stop(R),
    {A, next(), stop(W)}.

custom_to_test(R, W, Me) ->
    Self = self(),
    Other = spawn(fun() -> Self ! {other, next()} end),
    S = custom_to(R, ?READ, Other, {custom, "for the other"}),
    write_to(W, <<"x">>),
    {S, next(), stop(R)}.

%% A second select takes the place of the first.
select_again(R, W, _) ->
    Ref = make_ref(),
    S1 = select_end(R, ?READ, none, undefined),
    S2 = select_end(R, ?READ, none, Ref),
    write_to(W, <<"x">>),
    M = case next() of {select, R, Ref, ready_input} -> the_second; Other -> name(R, W, Other) end,
    {S1, S2, M, none(), stop(R)}.

cancel(R, W, _) ->
    fill_up(W),
    S1 = select_end(R, ?READ bor ?CANCEL, none, undefined),
    read_from(R),
    flush(),
    {R2, W2} = open_pipe(3, self()),
    select_end(R2, ?READ, none, undefined),
    C1 = select_end(R2, ?READ bor ?CANCEL, none, undefined),
    C2 = select_end(R2, ?READ bor ?CANCEL, none, undefined),
    fill_up(W2),
    N1 = none(),
    select_end(W2, ?WRITE, none, undefined),
    select_end(W2, ?ERROR, none, undefined),
    C3 = select_end(W2, ?WRITE bor ?READ bor ?ERROR bor ?CANCEL, none, undefined),
    read_from(R2),
    N2 = none(),
    select_end(R2, ?READ, none, undefined),
    write_to(W2, <<"x">>),
    {S1, C1, C2, N1, C3, N2, name(R2, W2, next()), stop(R), stop(R2), stop(W2)}.

cancel_nothing(R, W, _) ->
    {[select_end(E, F bor ?CANCEL, none, undefined) || E <- [R, W], F <- [?READ, ?WRITE, ?ERROR]],
     [none() || _ <- [1]]}.

stop_unused(R, W, Me) -> stop(R).

stop_waiting(R, W, Me) ->
    select_end(R, ?READ, none, undefined),
    {stop(R), none(), is_reference(W)}. % the other end is open until here

stop_after_event(R, W, Me) ->
    select_end(R, ?READ, none, undefined),
    write_to(W, <<"x">>),
    M = name(R, W, next()),
    {M, stop(R)}.

stop_twice(R, W, Me) ->
    select_end(R, ?READ, none, undefined),
    {stop(R), stop(W), select_end(R, ?STOP, none, undefined)}.

%% The descriptor is closed, and may be another one's by then.
select_after_stop(R, W, Me) ->
    stop(W),
    stop(R),
    {R2, W2} = open_pipe(5, Me),
    write_to(W2, <<"again">>),
    {select_end(R2, ?READ, none, undefined), name(R2, W2, next()), read_from(R2), stop(R2), stop(W2)}.

bad_descriptors(R, W, _) -> {select_fd(R, -1, ?READ), select_fd(R, -1, ?STOP)}.

%% Nobody holds the term while it waits.
selected_object_lives() ->
    Me = self(),
    W = on_pipe(fun(R, W, _) -> Me ! {writer, W}, select_end(R, ?READ, Me, undefined), ok end),
    receive {writer, Writer} -> ok end,
    erlang:garbage_collect(),
    write_to(Writer, <<"late">>),
    {W, receive {select, R, undefined, What} -> {What, read_from(R), stop(R)} after 60000 -> nothing end, stop(Writer)}.

many_messages(R, W, _) ->
    Reader = self(),
    Writer = spawn_link(fun() -> [begin write_to(W, <<N:16>>), receive go -> ok end end || N <- lists:seq(1, 1000)] end),
    Got = [begin
               [] = select_end(R, ?READ, Reader, undefined),
               {select, R, undefined, ready_input} = next(),
               <<X:16>> = read_from(R),
               Writer ! go,
               X
           end || _ <- lists:seq(1, 1000)],
    {Got =:= lists:seq(1, 1000), stop(R)}.

many_pipes() ->
    Me = self(),
    Pids = [spawn_monitor(fun() ->
                              {R, W} = open_pipe(100 + 2 * N, Me),
                              Self = self(),
                              spawn(fun() -> write_to(W, <<N:16>>), Self ! {done, stop(W)} end),
                              [] = select_end(R, ?READ, none, undefined),
                              receive {select, R, undefined, ready_input} -> ok end,
                              <<N:16>> = read_from(R),
                              receive {done, [stop]} -> ok end,
                              stop(R)
                          end) || N <- lists:seq(1, 200)],
    Ends = [receive {'DOWN', Ref, _, _, Why} -> Why end || {_, Ref} <- Pids],
    Told = [receive {stopped, N, 0} -> ok after 60000 -> {no, N} end || N <- lists:seq(102, 501)],
    {lists:usort(Ends), lists:usort(Told)}.

%% Ends are stopped while the other end is written to, and while what was selected is on its way. Each descriptor is
%% closed once, each object dies once.
closing_races() ->
    Me = self(),
    Pids = [spawn_monitor(fun() -> [race(1000 * K + 2 * I, Me) || I <- lists:seq(0, 99)] end) || K <- [1, 2, 3, 4]],
    Ends = [receive {'DOWN', Ref, _, _, Why} -> Why end || {_, Ref} <- Pids],
    Numbers = [1000 * K + I || K <- [1, 2, 3, 4], I <- lists:seq(0, 199)],
    Told = [receive {What, N, 0} -> ok after 60000 -> {no, What, N} end || What <- [stopped, died], N <- Numbers],
    {lists:usort(Ends), lists:usort(Told), [M || {_, N, _} = M <- flush(), N >= 1000]}.

race(N, Me) ->
    Self = self(),
    {R, W} = open_pipe(N, Me),
    [] = select_end(R, ?READ, none, undefined),
    spawn(fun() -> write_to(W, <<"x">>), Self ! {done, stop(W)} end),
    spawn(fun() -> Self ! {done, stop(R)} end),
    [receive {done, [stop | _]} -> ok end || _ <- [1, 2]],
    flush().

open_pipe(_, _) -> erlang:nif_error(not_loaded).
write_to(_, _) -> erlang:nif_error(not_loaded).
fill_up(_) -> erlang:nif_error(not_loaded).
read_from(_) -> erlang:nif_error(not_loaded).
select_end(_, _, _, _) -> erlang:nif_error(not_loaded).
dirty_select(_, _, _, _) -> erlang:nif_error(not_loaded).
select_fd(_, _, _) -> erlang:nif_error(not_loaded).
custom(_, _, _, _) -> erlang:nif_error(not_loaded).
custom_to(_, _, _, _) -> erlang:nif_error(not_loaded).
