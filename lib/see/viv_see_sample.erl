%% viv sample, in the node: stacks of what its threads do, noted so many times a second (viv_see:sampler/1).
%%
%%   {samples, [{Count, By, Thread, What, Frames}]}  equal ones put together, every so often
%%   {'end', Why, #{took => Milliseconds, lost => Count}}     time | stopped, or {error, Text}
%%
%% Frames are {M, F, A}, newest first, `sensitive`, or end in '...' where the oldest are missing. By is a process or
%% port where that was asked for: its name if it has one.
-module(viv_see_sample).
-export([run/2]).

-define(INTERVAL, 500).
-define(TOGETHER, 500). % samples in one frame of the protocol

-record(s, {link, sampler, by, start, until}).

run(#{rate := Rate, time := Time, by := By}, Link) when By =:= none; By =:= process ->
    case viv_see:sampler(Rate) of
        {ok, Sampler} ->
            Start = now_ms(),
            Until = case Time of
                        infinity -> infinity;
                        _ -> Start + Time
                    end,
            _ = sample(#s{link = Link, sampler = Sampler, by = By, start = Start, until = Until}),
            viv_see:end_sampler(Sampler);
        {error, ebusy} -> end_with(Link, {error, <<"as many others sample this node as can at once">>}, #{});
        {error, Why} -> end_with(Link, {error, <<"it has no thread for that: ", (atom_to_binary(Why))/binary>>}, #{})
    end.

now_ms() -> erlang:monotonic_time(millisecond).

sample(S = #s{link = Link, start = Start}) ->
    Why = receive stop -> stopped after wait(S) -> time end,
    {Lost, Samples} = viv_see:samples(S#s.sampler),
    case {tell(maps:to_list(summed(Samples, names(S#s.by))), Link), is_over(Why, S)} of
        {ok, false} -> sample(S);
        {ok, true} -> end_with(Link, Why, #{took => now_ms() - Start, lost => Lost});
        {closed, _} -> closed
    end.

wait(#s{until = infinity}) -> ?INTERVAL;
wait(#s{until = Until}) -> max(0, min(?INTERVAL, Until - now_ms())).

is_over(stopped, _) -> true;
is_over(time, #s{until = infinity}) -> false;
is_over(time, #s{until = Until}) -> now_ms() >= Until.

%% Of processes and ports. None of them is asked: one that works long would answer late, and be made urgent by it.
names(none) -> none;
names(process) -> maps:from_list([{whereis(Name), Name} || Name <- registered()]).

summed(Samples, Names) ->
    lists:foldl(fun({Weight, {Actor, Thread, What, Frames}}, Sums) ->
                        Key = {by(Names, Actor), Thread, What, functions(Frames)},
                        Sums#{Key => maps:get(Key, Sums, 0) + Weight}
                end, #{}, Samples).

functions([{M, F, A, _} | Frames]) -> [{M, F, A} | functions(Frames)];
functions(Rest) -> Rest.

by(none, Actor) when is_port(Actor) -> port;
by(none, _) -> process;
by(Names, Actor) -> maps:get(Actor, Names, Actor).

tell([], _) -> ok;
tell(Sums, Link) ->
    {Some, Others} = lists:split(min(?TOGETHER, length(Sums)), Sums),
    Told = [{Count, By, Thread, What, Frames} || {{By, Thread, What, Frames}, Count} <- Some],
    case viv_see_link:tell(Link, {samples, Told}) of
        ok -> tell(Others, Link);
        closed -> closed
    end.

end_with(Link, Why, Figures) -> viv_see_link:tell(Link, {'end', Why, Figures}).
