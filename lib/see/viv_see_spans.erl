%% What has a begin and an end among the events of viv trace: calls, when they return; slices of processes and ports,
%% and of the schedulers that run them; collections. Events of one process come in order, and so do those of one
%% scheduler.
%%
%% A span is on a track, on which spans are nested. Where its end was dropped, or what it belongs to has ended, it is
%% closed with what shows that it is over, as `untold`: when it was over nobody knows.
-module(viv_see_spans).
-export([new/1, step/2]).
-export_type([spans/0, track/0, step/0]).

-record(spans, {returns, open = #{}, at = #{}}). % at: Who => [the scheduler's track]
-opaque spans() :: #spans{}.
-type track() :: {calls | runs | collections, pid() | port()} | {scheduler, pos_integer()}.
-type step() :: {open, track(), Name :: term()} | {close, track(), told | untold} | mark.

%% Returns: are calls followed by their ends?
-spec new(boolean()) -> spans().
new(Returns) -> #spans{returns = Returns}.

%% `mark`: the event itself is to be shown, as it opens and closes nothing.
-spec step(viv_see_event:event(), spans()) -> {[step()], spans()}.
step(#{kind := call, who := Who, parts := [{M, F, Arguments} | _]}, S = #spans{returns = true}) ->
    opened({calls, Who}, {M, F, arity(Arguments)}, S);
step(#{kind := Kind, who := Who, parts := [Function, _]}, S) when Kind =:= return_from; Kind =:= exception_from ->
    returned({calls, Who}, Function, S);
step(#{kind := Kind, who := Who} = Event, S) when Kind =:= in; Kind =:= in_exiting ->
    Here = on(Event),
    {Over, #spans{at = At} = Closed} = all_closed([{runs, Who} | Here ++ before(Who, S)], untold, S),
    {Runs, Running} = opened({runs, Who}, place(Event), Closed#spans{at = At#{Who => Here}}),
    {On, Next} = lists:foldl(fun(Scheduler, {_, Before}) -> opened(Scheduler, Who, Before) end, {[], Running}, Here),
    {Over ++ Runs ++ On, Next};
step(#{kind := Kind, who := Who} = Event, S = #spans{at = At}) when Kind =:= out; Kind =:= out_exiting;
                                                                    Kind =:= out_exited ->
    Elsewhere = before(Who, S) -- on(Event), % a dirty thread has gone on with it, since when nobody knows
    {Moved, Closed} = all_closed(Elsewhere, untold, S#spans{at = maps:remove(Who, At)}),
    case is_open({runs, Who}, S) of
        true ->
            {Ended, Next} = all_closed([{runs, Who} | [On || On <- on(Event), name(On, Closed) =:= Who]], told, Closed),
            {Moved ++ Ended, Next};
        false -> {Moved ++ [mark], Closed}
    end;
step(#{kind := gc_minor_start, who := Who}, S) -> collects(minor, Who, S);
step(#{kind := gc_major_start, who := Who}, S) -> collects(major, Who, S);
step(#{kind := gc_minor_end, who := Who}, S) -> collected(minor, Who, S);
step(#{kind := gc_major_end, who := Who}, S) -> collected(major, Who, S);
step(#{kind := exit, who := Who}, S) ->
    {Closed, Next} = all_closed([{calls, Who}, {collections, Who}], untold, S),
    {Closed ++ [mark], Next};
step(_, S) -> {[mark], S}.

arity(Arguments) when is_list(Arguments) -> length(Arguments);
arity(Arity) -> Arity.

place(#{parts := [Place | _]}) -> Place;
place(_) -> 0.

%% Threads that are no schedulers have the number 0.
on(#{scheduler := Number}) when Number > 0 -> [{scheduler, Number}];
on(_) -> [].

%% The scheduler that it is still shown on.
before(Who, S = #spans{at = At}) -> [Track || Track <- maps:get(Who, At, []), name(Track, S) =:= Who].

opened(Track, Name, S = #spans{open = Open}) ->
    {[{open, Track, Name}], S#spans{open = Open#{Track => [Name | maps:get(Track, Open, [])]}}}.

is_open(Track, #spans{open = Open}) -> is_map_key(Track, Open).

name(Track, #spans{open = Open}) ->
    case Open of
        #{Track := [Name | _]} -> Name;
        #{} -> none
    end.

%% What was called since and is not over for us is over now.
returned(Track, Function, S = #spans{open = Open}) ->
    case lists:splitwith(fun(F) -> F =/= Function end, maps:get(Track, Open, [])) of
        {_, []} -> {[mark], S};
        {Inner, [_ | Outer]} ->
            {[{close, Track, untold} || _ <- Inner] ++ [{close, Track, told}], kept(Track, Outer, S)}
    end.

kept(Track, [], S = #spans{open = Open}) -> S#spans{open = maps:remove(Track, Open)};
kept(Track, Names, S = #spans{open = Open}) -> S#spans{open = Open#{Track => Names}}.

all_closed(Tracks, How, S = #spans{open = Open}) ->
    {[{close, Track, How} || Track <- lists:usort(Tracks), _ <- maps:get(Track, Open, [])],
     S#spans{open = maps:without(Tracks, Open)}}.

collects(Kind, Who, S) ->
    {Over, Closed} = all_closed([{collections, Who}], untold, S),
    {Steps, Next} = opened({collections, Who}, Kind, Closed),
    {Over ++ Steps, Next}.

collected(Kind, Who, S) ->
    case name({collections, Who}, S) of
        Kind -> all_closed([{collections, Who}], told, S);
        _ -> {[mark], S}
    end.
