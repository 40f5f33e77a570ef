%% A node that is sampled, by as many as can and as often as they can, answers as if it were not: a library's function
%% that sleeps on a dirty thread is not woken (but one that goes to sleep just then), what is left of a slice is told as
%% it is, and reductions are neither lost nor made, in built-in functions or in what the engine calls in between. A sampler gets what it wanted itself.
%% Not under torture, give_away: what is left of a slice has no meaning there.
-module(r_sampled).
-export([main/0, nap/1, takes_a_tenth/0, works/1, step/1]).
-nifs([nap/1, takes_a_tenth/0, works/1]).

nap(_) -> erlang:nif_error(undef).
takes_a_tenth() -> erlang:nif_error(undef).
works(_) -> erlang:nif_error(undef).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    Works = [{compares, fun() -> compare(300000, floats(), floats()) end}, {matches, fun() -> match(100000) end},
             {counts, fun() -> count(2000000) end}],
    io:format("what an earlier one wanted: ~p~n", [after_another()]),
    Alone = [cost(Work) || {_, Work} <- Works],
    Samplers = [sampler() || _ <- lists:seq(1, 8)],
    Naps = [nap(50) || _ <- lists:seq(1, 10)],
    io:format("sleeps: ~p~n", [length([interrupted || interrupted <- Naps]) =< 2 orelse Naps]),
    io:format("slices: ~p~n", [lists:usort([slice() || _ <- lists:seq(1, 100)])]),
    [io:format("~p: ~p~n", [Name, alike(Before, cost(Work))]) || {{Name, Work}, Before} <- lists:zip(Works, Alone)],
    keep(Samplers).

sampler() ->
    try viv_see:sampler(1000) of {ok, Sampler} -> Sampler
    catch error:undef -> none
    end.

%% While a function goes on to its end: what is counted of it is no more than the time since the sampler began.
after_another() ->
    {Pid, Ref} = spawn_monitor(fun() -> works(600) end),
    First = sampler(),
    timer:sleep(400),
    ended(First),
    Began = erlang:monotonic_time(millisecond),
    Second = sampler(),
    receive {'DOWN', Ref, _, _, normal} -> ok end,
    Counted = lists:sum([Weight || {Weight, {Who, _, _, _}} <- samples(Second), Who =:= Pid]),
    Time = erlang:monotonic_time(millisecond) - Began,
    ended(Second),
    case Counted =< Time + 2 of
        true -> is_not_told;
        false -> {Counted, Time}
    end.

ended(none) -> ok;
ended(Sampler) -> ok = viv_see:end_sampler(Sampler).

samples(none) -> [];
samples(Sampler) -> element(2, viv_see:samples(Sampler)).

slice() ->
    erlang:yield(),
    takes_a_tenth().

cost(Work) ->
    Before = reductions(),
    Work(),
    reductions() - Before.

reductions() -> element(2, process_info(self(), reductions)).

%% Slices end elsewhere, and collections come at other times: that is a little; one lost for each sample is more.
alike(Before, After) when abs(Before - After) =< 200 + Before div 1000 -> as_ever;
alike(Before, After) -> {Before, After}.

floats() -> [X * 1.5e300 || X <- lists:seq(1, 40)].

compare(0, _, _) -> ok;
compare(N, A, B) ->
    true = A =:= B,
    compare(N - 1, A, B).

match(0) -> ok;
match(N) ->
    {28, 1} = binary:match(<<"aaaaaaaaaaaaaaaaaaaaaaaaaaaab">>, <<"b">>),
    match(N - 1).

count(0) -> ok;
count(N) -> count(step(N)).

step(N) -> N - 1.

%% They end when nobody has them any more.
keep(Samplers) -> 8 = length(Samplers).
