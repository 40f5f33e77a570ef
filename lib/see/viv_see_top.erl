%% viv top, in the node: what has most of something, looked for every so often.
%%
%%   {top, #{count := N, took_ms := T, rows := [{Id, About, Counter, Rate | none, Memory, Queue}]}}    most first
%%   {late, Milliseconds}     a look takes so long already
%%   {'end', Why, #{}}        stopped | done, or {error, Text}
%%
%%               Id     About                     Counter             Rate    Memory, Queue
%%   processes   pid    {Name, Initial, Current}  reductions          its,    bytes, messages
%%   tables      table  {Name, Owner}             objects             by the  bytes, 0
%%   ports       port   {Name, Owner}             bytes in and out    second  bytes, bytes
%%
%% The looks are a process's of its own, at normal priority, which works a fifth of the time (viv_see_pace). Of
%% processes that rest it reads the one figure that is asked for where they stand, which wakes nobody; but their memory
%% they are asked for. All else is told of those alone that are shown. For rates two words and their place in a map are
%% kept of each.
-module(viv_see_top).
-export([run/2, initial/2]).

-define(ROWS, 1000). % at most
-define(LEAST, 100). % milliseconds of an interval
-define(LATE, 5000).

run(#{what := What, by := By, rows := Rows, interval := Interval, looks := Looks}, Link)
  when What =:= processes orelse What =:= tables orelse What =:= ports,
       By =:= counter orelse By =:= rate orelse By =:= memory orelse By =:= queue, Rows > 0, Rows =< ?ROWS,
       Interval >= ?LEAST, Interval < 1 bsl 30, Looks > 0 ->
    Self = self(),
    Looker = spawn_opt(fun() -> process_flag(sensitive, true), look(Self, What, By, Rows, #{}) end,
                       [link, {priority, normal}]),
    begin_look(Looker, Link, Interval, Looks).

begin_look(Looker, Link, Interval, Looks) ->
    Looker ! {look, self()},
    Next = now_ms() + Interval,
    case wait(Looker, Link, now_ms()) of
        stopped -> viv_see_link:tell(Link, {'end', stopped, #{}});
        none -> rest(Looker, Link, Interval, Looks, Next);
        Found ->
            _ = viv_see_link:tell(Link, {top, Found}) =:= closed andalso exit(shutdown),
            rest(Looker, Link, Interval, less(Looks), Next)
    end.

less(infinity) -> infinity;
less(Looks) -> Looks - 1.

rest(_, Link, _, 0, _) -> viv_see_link:tell(Link, {'end', done, #{}});
rest(Looker, Link, Interval, Looks, Next) ->
    receive stop -> viv_see_link:tell(Link, {'end', stopped, #{}})
    after max(0, Next - now_ms()) -> begin_look(Looker, Link, Interval, Looks)
    end.

wait(Looker, Link, Start) ->
    receive
        stop -> stopped;
        {Looker, Found} -> Found
    after ?LATE ->
        _ = viv_see_link:tell(Link, {late, now_ms() - Start}) =:= closed andalso exit(shutdown),
        wait(Looker, Link, Start)
    end.

now_ms() -> erlang:monotonic_time(millisecond).

%% --- the looks ------------------------------------------------------------------------------------------------------

%% Before: #{Id => [Counter | When]} of the last look, of all where there is to be found who has the highest rate.
look(Owner, What, By, Rows, Before) ->
    receive {look, Owner} -> ok end,
    Start = now_ms(),
    Ids = all(What),
    How = {What, By, Rows, Before},
    {Best, Kept} = viv_see_pace:fold(fun(Id, When, Found) -> of_one(Id, When, Found, How) end,
                                     {gb_sets:empty(), #{}}, Ids),
    Now = now_ms(),
    Told = [Row || {_, Id} <- lists:reverse(gb_sets:to_list(Best)), Row <- row(What, Id, Before, Now)],
    Found = case By =:= rate andalso Before =:= #{} of
                true -> none;
                false -> #{count => length(Ids), took_ms => Now - Start, rows => Told}
            end,
    Owner ! {self(), Found},
    After = case By of
                rate -> Kept;
                _ -> maps:from_list([{Id, [Counter | Now]} || {Id, _, Counter, _, _, _} <- Told])
            end,
    look(Owner, What, By, Rows, After).

all(processes) -> erlang:processes() -- [self()];
all(tables) -> ets:all();
all(ports) -> erlang:ports().

of_one(Id, Now, {Best, Kept}, {What, By, Rows, Before}) ->
    case figure(What, By, Id) of
        none -> {Best, Kept};
        Counter when By =:= rate ->
            {viv_see_pace:better({rate(Id, Counter, Now, Before), Id}, Rows, Best), Kept#{Id => [Counter | Now]}};
        Figure -> {viv_see_pace:better({Figure, Id}, Rows, Best), Kept}
    end.

%% By the second; of who has come since, since then.
rate(Id, Counter, Now, Before) ->
    case Before of
        #{Id := [Then | When]} when Now > When -> (Counter - Then) * 1000 div (Now - When);
        _ -> 0
    end.

%% What he has now; none: he has gone.
figure(processes, memory, Pid) -> of_process(Pid, memory);
figure(processes, queue, Pid) -> of_process(Pid, message_queue_len);
figure(processes, _, Pid) -> of_process(Pid, reductions);
figure(tables, memory, Table) -> of_table(Table, memory);
figure(tables, queue, _) -> 0;
figure(tables, _, Table) -> of_table(Table, size);
figure(ports, memory, Port) -> of_port(Port, memory);
figure(ports, queue, Port) -> of_port(Port, queue_size);
figure(ports, _, Port) ->
    case {of_port(Port, input), of_port(Port, output)} of
        {In, Out} when is_integer(In), is_integer(Out) -> In + Out;
        _ -> none
    end.

of_process(Pid, Item) ->
    case erlang:process_info(Pid, Item) of
        {Item, Value} -> Value;
        undefined -> none
    end.

of_table(Table, Item) ->
    case ets:info(Table, Item) of
        undefined -> none;
        Words when Item =:= memory -> Words * erlang:system_info(wordsize);
        Value -> Value
    end.

of_port(Port, Item) ->
    case erlang:port_info(Port, Item) of
        {Item, Value} -> Value;
        undefined -> none
    end.

%% [Row], or [] of who has gone.
row(processes, Pid, Before, Now) ->
    Items = [registered_name, initial_call, current_function, reductions, memory, message_queue_len],
    case erlang:process_info(Pid, Items) of
        undefined -> [];
        [{_, Name}, {_, Initial}, {_, Current}, {_, Reductions}, {_, Memory}, {_, Queue}] ->
            About = {Name, initial(Initial, Pid), Current},
            [{Pid, About, Reductions, told_rate(Pid, Reductions, Now, Before), Memory, Queue}]
    end;
row(What, Id, Before, Now) ->
    case {[figure(What, By, Id) || By <- [counter, memory, queue]], about(What, Id)} of
        {[Counter, Memory, Queue] = Figures, {_, Owner} = About} when Owner =/= none ->
            [{Id, About, Counter, told_rate(Id, Counter, Now, Before), Memory, Queue}
             || not lists:member(none, Figures)];
        _ -> []
    end.

%% An initial call, as proc_lib has it, where one key of a dictionary can be asked for (from OTP 26 on): all of it may
%% be large.
initial({proc_lib, init_p, _} = Initial, Pid) ->
    try erlang:process_info(Pid, {dictionary, '$initial_call'}) of
        {_, {Module, Function, Arity}} when is_atom(Module), is_atom(Function), is_integer(Arity) ->
            {Module, Function, Arity};
        _ -> Initial
    catch error:badarg -> Initial
    end;
initial(Initial, _) -> Initial.

about(tables, Table) -> {ets:info(Table, name), none_or(ets:info(Table, owner))};
about(ports, Port) -> {name(of_port(Port, name)), of_port(Port, connected)}.

none_or(undefined) -> none;
none_or(Owner) -> Owner.

name(Name) when is_list(Name) -> unicode:characters_to_binary(lists:sublist(Name, 100));
name(none) -> <<>>.

told_rate(Id, Counter, Now, Before) ->
    case Before of
        #{Id := _} -> rate(Id, Counter, Now, Before);
        _ -> none
    end.
