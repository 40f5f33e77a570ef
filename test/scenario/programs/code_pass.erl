%% Literals and funs of a module go round among processes, tables and persistent terms while the module is replaced and
%% purged as fast as it goes. Whoever gets a literal sees it whole; a fun answers with its own version, or fails as one
%% whose code is gone. Of twenty versions each comes back again and again. In the end all memory for code is back.
-module(code_pass).
-export([main/1, member/2, producer/2]).

-define(VERSIONS, 20).
-define(MEMBERS, 12).
-define(GROWTH, 20000). % bytes: of tables that grow now and then

main([Seconds]) ->
    put(passed, 0),
    put(failed, 0),
    Codes = list_to_tuple([compiled(V) || V <- lists:seq(1, ?VERSIONS)]),
    round(Codes, 1),
    Before = code_memory:settled(),
    Versions = round(Codes, list_to_integer(Seconds)),
    Grown = code_memory:at_most(Before + ?GROWTH) - Before,
    check("memory", true, Grown =< ?GROWTH orelse {grown, Grown}),
    io:format("~b versions, ~b bytes more~n~b passed, ~b failed~n", [Versions, Grown, get(passed), get(failed)]).

check(_, Same, Same) -> put(passed, get(passed) + 1);
check(Name, Expected, Got) ->
    put(failed, get(failed) + 1),
    get(failed) < 10 andalso io:format("FAILED: ~s~n  expected ~p~n  got      ~p~n", [Name, Expected, Got]).

round(Codes, Seconds) ->
    Table = ets:new(table, [public]),
    load(Codes, 1),
    Members = [spawn_monitor(?MODULE, member, [Table, N]) || N <- lists:seq(1, ?MEMBERS)],
    Pids = list_to_tuple([Pid || {Pid, _} <- Members]),
    [Pid ! {members, Pids} || {Pid, _} <- Members],
    Producers = [spawn_monitor(?MODULE, producer, [Pids, 0]) || _ <- [1, 2]],
    Versions = replace(Codes, 2, erlang:monotonic_time(millisecond) + 1000 * Seconds),
    Ended = [begin
                 Pid ! stop,
                 receive {'DOWN', Ref, process, Pid, Reason} -> Reason end
             end || {Pid, Ref} <- Producers ++ Members],
    check("members", [], [Reason || Reason <- Ended, element(1, Reason) =/= seen]),
    check("all have seen some", [], [Reason || {seen, 0} = Reason <- Ended]),
    ets:delete(Table),
    [persistent_term:erase({code_pass, N}) || N <- lists:seq(1, ?MEMBERS)],
    purge(),
    true = code:delete(passed_on),
    purge(),
    Versions.

%% Nobody is killed: the code only returns.
purge() -> code:soft_purge(passed_on) orelse purge().

replace(Codes, N, Until) ->
    case erlang:monotonic_time(millisecond) < Until of
        true -> load(Codes, N), replace(Codes, N + 1, Until);
        false -> N
    end.

load(Codes, N) ->
    purge(),
    {module, passed_on} = code:load_binary(passed_on, "", element(1 + N rem ?VERSIONS, Codes)).

%% make() -> {Version, Literal, Fun}; Fun(X) -> {Version, X, Literal}
compiled(V) ->
    Version = erl_parse:abstract(V),
    Literal = erl_parse:abstract(literal(V)),
    Fun = {'fun', 1, {clauses, [{clause, 1, [{var, 1, 'X'}], [], [{tuple, 1, [Version, {var, 1, 'X'}, Literal]}]}]}},
    Forms = [{attribute, 1, module, passed_on}, {attribute, 1, export, [{make, 0}]},
             {function, 1, make, 0, [{clause, 1, [], [], [{tuple, 1, [Version, Literal, Fun]}]}]}, {eof, 1}],
    {ok, passed_on, Code} = compile:forms(Forms, []),
    Code.

literal(V) -> {literal, V, binary:copy(<<V>>, 100), [V, {V, "text", V * 1.5}], #{V => [V]}, 1 bsl (70 + V)}.

%% So many of its are on their way at once.
producer(Pids, Made) when Made < 10 -> make(Pids, Made);
producer(Pids, Made) ->
    receive
        stop -> exit({seen, Made});
        passed -> make(Pids, Made)
    end.

make(Pids, Made) ->
    element(1 + Made rem ?MEMBERS, Pids) ! {pass, passed_on:make(), 20, self()},
    ?MODULE:producer(Pids, Made + 1).

member(Table, N) -> receive {members, Pids} -> member(Table, N, Pids, [], 0) end.

member(Table, N, Pids, Kept, Seen) ->
    receive
        stop ->
            exit({seen, Seen});
        {pass, {V, Literal, Fun} = Good, Hops, From} ->
            good(V, Literal, Fun),
            keep(Table, N, Good, Seen),
            case Hops of
                0 -> From ! passed;
                _ -> element(1 + (N + Seen) rem ?MEMBERS, Pids) ! {pass, Good, Hops - 1, From}
            end,
            member(Table, N, Pids, [Good | lists:sublist(Kept, 9)], Seen + 1)
    end.

good(V, Literal, Fun) ->
    Literal =:= literal(V) orelse exit({literal, V, Literal}),
    try Fun(x) of
        {V, x, Literal} -> ok;
        Other -> exit({'fun', V, Other})
    catch
        error:{badfun, Fun} -> ok;
        error:undef -> ok
    end.

keep(Table, N, {V, Literal, _} = Good, Seen) ->
    case Seen rem 40 of
        0 -> ets:insert(Table, {N, Good});
        7 -> [good(A, B, C) || {_, {A, B, C}} <- ets:lookup(Table, 1 + (N + Seen) rem ?MEMBERS)];
        13 -> persistent_term:put({code_pass, N}, [V, Literal]);
        20 ->
            case persistent_term:get({code_pass, 1 + (N + Seen) rem ?MEMBERS}, none) of
                none -> ok;
                [A, B] -> B =:= literal(A) orelse exit({persistent, A, B})
            end;
        27 -> erlang:garbage_collect();
        33 -> put(kept, Good);
        _ -> ok
    end.
