%% Three modules with on_load functions, literals and funs are replaced together by viv_code:load/1, again and again,
%% while processes call through them in both directions. No call sees a half-loaded set, on_load functions see the set
%% before, in the order of the list, and the memory for code does not grow.
-module(code_soak).
-export([main/1, call/2]).

-define(MODULES, [chain_a, chain_b, chain_c]).
-define(FIRST, "v1000000").
-define(GROWTH, 50).  % bytes for each version, which takes some ten thousand,
-define(ONCE, 50000). % and what tables take that grow now and then

main([Seconds]) ->
    put(passed, 0),
    put(failed, 0),
    register(soak, self()),
    Templates = [{M, compiled(M, Next, Before)} || {M, Next, Before} <- [{chain_a, chain_b, none},
                                                                        {chain_b, chain_c, chain_a},
                                                                        {chain_c, none, chain_b}]],
    check("first", ok, load(Templates, 0)),
    check("its on_load functions", [{M, version(0), none} || M <- ?MODULES], [told() || _ <- ?MODULES]),
    purge(),
    Callers = [spawn_monitor(?MODULE, call, [soak, Way]) || Way <- [up, down, up, down]],
    Warm = replace(Templates, 1, 10, infinity),
    Before = code_memory(),
    Until = erlang:monotonic_time(millisecond) + 1000 * list_to_integer(Seconds),
    Last = replace(Templates, replace(Templates, Warm, 20, infinity), 100000, Until),
    Grown = code_memory() - Before,
    [Pid ! stop || {Pid, _} <- Callers],
    check("callers", [normal, normal, normal, normal],
          [receive {'DOWN', Ref, process, Pid, Reason} -> Reason end || {Pid, Ref} <- Callers]),
    check("calls", [true, true, true, true],
          [receive {Pid, Calls} -> Calls > 10 after 0 -> none end || {Pid, _} <- Callers]),
    check("the last one", lists:duplicate(3, version(Last - 1)), chain_c:down()),
    check("failing on_load", true, failing(Templates, Last)),
    Count = Last - Warm,
    check("memory", true, Grown < ?ONCE + ?GROWTH * Count orelse {grown, Grown, in_versions, Count}),
    io:format("~b versions, ~b bytes more~n~b passed, ~b failed~n", [Count, Grown, get(passed), get(failed)]).

check(_, Same, Same) -> put(passed, get(passed) + 1);
check(Name, Expected, Got) ->
    put(failed, get(failed) + 1),
    get(failed) < 10 andalso io:format("FAILED: ~s~n  expected ~p~n  got      ~p~n", [Name, Expected, Got]).

told() -> receive {on_load, M, Version, Seen} -> {M, Version, Seen} after 0 -> nothing end.

%% Whoever was interrupted in the version before is waited for: nobody is killed.
purge() -> [purge(M) || M <- ?MODULES].

purge(M) ->
    case code:soft_purge(M) of
        true -> ok;
        false -> erlang:yield(), purge(M)
    end.

code_memory() ->
    erlang:garbage_collect(),
    erlang:memory(code).

replace(_, Most, Most, _) -> Most;
replace(Templates, N, Most, Until) ->
    case erlang:monotonic_time(millisecond) < Until of
        true ->
            ok = load(Templates, N),
            Seen = lists:duplicate(3, version(N - 1)),
            Expected = [{M, version(N), Seen} || M <- order(N, ?MODULES)],
            case [told() || _ <- ?MODULES] of
                Expected -> ok;
                Other -> check("on_load functions", Expected, Other)
            end,
            purge(),
            replace(Templates, N + 1, Most, Until);
        false ->
            N
    end.

%% The last of the list fails: the two before have run, and go.
failing(Templates, N) ->
    Set = [{M, "", of_version(Code, N)} || {M, Code} <- Templates],
    {error, [{chain_d, {on_load_failure, no}}]} = viv_code:load(Set ++ [{chain_d, "", failing_module()}]),
    [_, _, _] = [told() || _ <- ?MODULES],
    [up, down] =:= [Way || Way <- [up, down], chain(Way) =:= lists:duplicate(3, version(N - 1))].

failing_module() ->
    {ok, chain_d, Code} = compile:forms([{attribute, 1, module, chain_d}, {attribute, 1, on_load, {init, 0}},
                                         {function, 1, init, 0, [{clause, 1, [], [], [{atom, 1, no}]}]}, {eof, 1}], []),
    Code.

load(Templates, N) -> viv_code:load([{M, "", of_version(Code, N)} || {M, Code} <- order(N, Templates)]).

order(N, List) when N rem 2 =:= 0 -> List;
order(_, List) -> lists:reverse(List).

version(N) -> list_to_atom(version_text(N)).
version_text(N) -> "v" ++ integer_to_list(1000000 + N).
of_version(Code, N) -> binary:replace(Code, <<?FIRST>>, list_to_binary(version_text(N)), [global]).

%% up() -> [version() | Next:up()], down() -> [version() | Before:down()]. The version goes through a fun.
compiled(M, Next, Before) ->
    Forms = [{attribute, 1, module, M}, {attribute, 1, export, [{up, 0}, {down, 0}]},
             {attribute, 1, on_load, {init, 0}}, function(up, Next), function(down, Before)] ++
        parsed("init() -> Seen = try chain_a:up() catch error:undef -> none end, "
               "soak ! {on_load, " ++ atom_to_list(M) ++ ", version(), Seen}, ok.") ++
        parsed("version() -> F = made({some, \"literal\", 1.5}), F().") ++
        parsed("made(Literal) -> fun() when is_tuple(Literal) -> " ++ ?FIRST ++ " end.") ++ [{eof, 1}],
    {ok, M, Code} = compile:forms(Forms, []),
    Code.

parsed(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Form} = erl_parse:parse_form(Tokens),
    [Form].

function(Name, Other) ->
    Next = case Other of
               none -> "nodes()"; % the empty list, but no literal, which would be compressed in the file
               _ -> atom_to_list(Other) ++ ":" ++ atom_to_list(Name) ++ "()"
           end,
    [Form] = parsed(atom_to_list(Name) ++ "() -> [version() | " ++ Next ++ "]."),
    Form.

chain(up) -> chain_a:up();
chain(down) -> chain_c:down().

call(Main, Way) -> call(Main, Way, version(0), 0).

call(Main, Way, Least, N) ->
    [First, _, Last] = Versions = chain(Way),
    case lists:sort(Versions) =:= Versions andalso Least =< First of
        true -> ok;
        false -> exit({half_a_set, Least, Versions})
    end,
    receive
        stop -> whereis(Main) ! {self(), N + 1}
    after 0 -> call(Main, Way, Last, N + 1)
    end.
