%% Tables that have a name another one had, or will have; heirs that are no more; which functions are built in.
-module(r_ets_name_meant).
-export([main/0]).

main() ->
    rename(),
    [goes_on(Options) || Options <- [[], [ordered_set], [bag], [{write_concurrency, true}]]],
    heirs(),
    {[], true} = {[MFA || {M, F, A} = MFA <- erlang:system_info(snifs), not erlang:is_builtin(M, F, A)],
                  lists:member({erlang, self, 0}, erlang:system_info(snifs))},
    ok.

show(Fun) ->
    io:format("~p~n", [try Fun() catch Class:Reason -> {Class, Reason} end]).

%% Its own name is taken, too, when it is named by it.
rename() ->
    Named = ets:new(aa, [named_table]),
    Other = ets:new(bb, []),
    show(fun() -> ets:rename(Named, aa) end),
    show(fun() -> {ets:info(aa, size), ets:whereis(aa) =/= undefined} end),
    show(fun() -> ets:rename(Other, bb) =:= Other end),
    show(fun() -> ets:rename(Other, aa) =:= Other end),
    show(fun() -> ets:rename(aa, dd) end),
    show(fun() -> ets:rename(dd, aa) end),
    [true = ets:delete(T) || T <- [aa, Other]].

%% The rest of a selection is that of the table with which it began, whatever its name is meanwhile.
goes_on(Options) ->
    New = fun() -> ets:new(nn, [named_table | Options]), ets:insert(nn, [{I, I} || I <- lists:seq(1, 20)]) end,
    New(),
    {First, Rest} = ets:select(nn, [{{'$1', '_'}, [], ['$1']}], 2),
    show(fun() -> {length(First), element(1, Rest) =:= ets:whereis(nn), element(1, Rest) =:= nn} end),
    show(fun() -> {More, _} = ets:select(Rest), length(More -- First) end),
    mm = ets:rename(nn, mm),
    show(fun() -> {More, _} = ets:select(Rest), length(More -- First) end),
    true = ets:delete(mm),
    show(fun() -> ets:select(Rest) end),
    New(),
    show(fun() -> case ets:select(Rest) of {More, _} -> length(More -- First); Other -> Other end end),
    true = ets:delete(nn).

%% One that has ended before he is made heir is none.
heirs() ->
    Ended = ended(spawn(fun() -> ok end)),
    T = ets:new(t, [{heir, Ended, data}]),
    show(fun() -> {ets:info(T, heir), lists:keyfind(heir, 1, ets:info(T))} end),
    Lives = spawn(fun() -> receive stop -> ok end end),
    show(fun() -> {ets:setopts(T, {heir, Lives, data}), ets:info(T, heir) =:= Lives} end),
    Lives ! stop,
    _ = ended(Lives),
    show(fun() -> ets:info(T, heir) =:= Lives end),
    show(fun() -> {ets:setopts(T, {heir, Ended, data}), ets:info(T, heir)} end).

ended(Pid) ->
    Ref = monitor(process, Pid),
    receive {'DOWN', Ref, process, Pid, _} -> until_gone(Pid, ets:new(t, [])) end.

%% On the stock runtime it is there yet when others hear that it has ended.
until_gone(Pid, T) ->
    true = ets:setopts(T, {heir, Pid, data}),
    case ets:info(T, heir) of
        Pid -> erlang:yield(), until_gone(Pid, T);
        none -> true = ets:delete(T), Pid
    end.
