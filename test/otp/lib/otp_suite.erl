%% Runs the cases of one suite of OTP, one after the other, in this runtime, without common_test (which needs ports,
%% other nodes and more): main([Suite, SuiteFolder, PrivateFolder, First, Milliseconds, Scale]).
%%
%% Each case has a number. For each from the First on a line `begin N Case` is printed, and `end N Case Result Reason`
%% when it is over: who reads this knows in which case a runtime died, and begins another one behind it. `over` is last.
%% A case that stands in more than one group is called case@group.
%%
%% A case runs in a process of its own, with its init_per_testcase and end_per_testcase. One that takes longer than its
%% suite says, Scale times that, or than Milliseconds, has failed. What suites print goes to otp_suite_output.
-module(otp_suite).
-export([main/1, extend/1, wants_nodes/0]).

-record(run, {suite, limit, scale, leader, saved = []}).

main([SuiteText, Folder, Private, FirstText, LimitText, ScaleText]) ->
    process_flag(trap_exit, true),
    register(otp_suite, self()),
    register(test_server_ctrl, spawn(fun() -> receive after infinity -> ok end end)), % some register it globally
    preload(),
    start_servers(filename:basename(Folder)),
    Suite = list_to_atom(SuiteText),
    Run = #run{suite = Suite, limit = list_to_integer(LimitText), scale = list_to_integer(ScaleText),
               leader = otp_suite_output:start()},
    Config = [{data_dir, filename:join(Folder, SuiteText ++ "_data") ++ "/"}, {priv_dir, Private ++ "/"},
              {nodenames, other_nodes()}],
    {module, Suite} = code:ensure_loaded(Suite),
    First = list_to_integer(FirstText),
    suite(Run, [Case || {N, _, _, _} = Case <- numbered(Suite), N >= First], Config),
    io:put_chars("over\n"),
    halt(0).

%% As common_test's own hook has them: who starts nodes may give them these names.
other_nodes() ->
    [Name, Host] = string:split(atom_to_list(node()), "@"),
    [list_to_atom(Name ++ "_" ++ Letter ++ "@" ++ Host) || Letter <- ["b", "c"], node() =/= nonode@nohost].

%% What common_test has loaded long before: some cases trace all calls, or hold the permission to change code, and
%% must not load any then.
preload() ->
    _ = [catch Module:module_info(module)
         || Module <- [array, binary, calendar, code, ct, dict, erl_anno, erl_erts_errors, erl_eval, erl_lint,
                       erl_parse, erl_scan, error_logger, erts_debug, ets, file, filelib, filename, gb_sets, gb_trees,
                       gen, gen_server, init, io, io_lib, io_lib_format, io_lib_pretty, lists, logger, maps, math,
                       orddict, ordsets, os, peer, proc_lib, proplists, queue, rand, re, rpc, sets, string, sys,
                       test_server, timer, unicode, unicode_util | erlang:pre_loaded()]],
    ok.

%% Servers that a runtime may start when they are first asked: cases that count processes must not be the first.
start_servers(Folder) ->
    _ = [application:start(sasl) || Folder =:= "os_mon_test"], % which takes it for granted
    _ = application:which_applications(),
    _ = logger:get_primary_config(),
    _ = [supervisor:which_children(Name) || Name <- [kernel_sup, kernel_safe_sup]],
    _ = gen_event:which_handlers(erl_signal_server),
    _ = global:registered_names(),
    timer:start().

%% --- Which cases there are: {Number, [{Group, Properties}], Name, Label}, the outermost group first ---

numbered(Suite) ->
    Flat = case Suite:all() of
               {skip, _} -> [];
               All -> flat(All, [], optional(Suite, groups, [], []))
           end,
    Times = lists:foldl(fun({_, Name}, Seen) -> maps:update_with(Name, fun(N) -> N + 1 end, 1, Seen) end, #{}, Flat),
    [{N, Path, Name, label(Name, Path, maps:get(Name, Times))}
     || {N, {Path, Name}} <- lists:zip(lists:seq(1, length(Flat)), Flat)].

label(Name, [_ | _] = Path, Times) when Times > 1 ->
    {Group, _} = lists:last(Path),
    io_lib:format("~ts@~0tp", [Name, Group]);
label(Name, _, _) -> atom_to_list(Name).

flat(Cases, Path, Groups) -> lists:append([flat_one(Case, Path, Groups) || Case <- Cases]).

flat_one({group, Name}, Path, Groups) -> group_named(Name, [], Path, Groups);
flat_one({group, Name, default}, Path, Groups) -> group_named(Name, [], Path, Groups);
flat_one({group, Name, Properties}, Path, Groups) -> group_named(Name, Properties, Path, Groups);
flat_one({group, Name, Properties, _Nested}, Path, Groups) -> group_named(Name, Properties, Path, Groups);
flat_one({testcase, Name, _Properties}, Path, _) -> [{Path, Name}];
flat_one({Name, Properties, Cases}, Path, Groups) -> flat(Cases, Path ++ [{Name, Properties}], Groups);
flat_one({_Module, all}, _, _) -> []; % which is run on its own
flat_one({_Module, Name}, Path, _) -> [{Path, Name}];
flat_one(Cases, Path, Groups) when is_list(Cases) -> flat(Cases, Path, Groups);
flat_one(Name, Path, _) when is_atom(Name) -> [{Path, Name}].

group_named(Name, Properties, Path, Groups) ->
    case lists:keyfind(Name, 1, Groups) of
        {Name, Cases} -> flat(Cases, Path ++ [{Name, Properties}], Groups);
        {Name, Others, Cases} -> flat(Cases, Path ++ [{Name, Properties ++ Others}], Groups)
    end.

optional(Module, Function, Arguments, Default) ->
    case erlang:function_exported(Module, Function, length(Arguments)) of
        true -> apply(Module, Function, Arguments);
        false -> Default
    end.

%% --- The suite, its groups, its cases ---

suite(#run{suite = Suite} = Run, Cases, Config0) ->
    case configured(Run, init_per_suite, [], Config0) of
        {ok, Config} ->
            Left = walk(Run, Cases, [{[], Config}]),
            leave(Run, Left, []),
            _ = guarded(Run, fun() -> optional(Suite, end_per_suite, [Config], ok) end, Run#run.limit),
            ok;
        {Result, Reason} -> refuse(Cases, Result, {init_per_suite, Reason})
    end.

%% `Open`: the groups that were entered, the innermost first, as {Path, Config}; the suite itself is the last.
walk(_, [], Open) -> Open;
walk(Run0, [{_, Path, _, _} = Case | Cases], Open0) ->
    Open = leave(Run0, Open0, Path),
    case enter(Run0, Open, Path) of
        {ok, [{_, Config} | _] = Inside} ->
            Run = one_case(Run0, Case, Config),
            walk(Run, Cases, Inside);
        {Result, Reason, Inside, Bad} ->
            {Refused, Others} = lists:splitwith(fun({_, P, _, _}) -> lists:prefix(Bad, P) end, [Case | Cases]),
            refuse(Refused, Result, {init_per_group, Reason}),
            walk(Run0, Others, Inside)
    end.

leave(#run{suite = Suite} = Run, [{Path, Config} | Outer] = Open, Wanted) when Path =/= [] ->
    case lists:prefix(Path, Wanted) of
        true -> Open;
        false ->
            {Group, _} = lists:last(Path),
            _ = guarded(Run, fun() -> optional(Suite, end_per_group, [Group, Config], ok) end, Run#run.limit),
            leave(Run, Outer, Wanted)
    end;
leave(_, Open, _) -> Open.

enter(_, [{Path, _} | _] = Open, Path) -> {ok, Open};
enter(Run, [{Outer, Config0} | _] = Open, Path) ->
    Next = lists:sublist(Path, length(Outer) + 1),
    {Group, Properties} = lists:last(Next),
    Properly = {tc_group_properties, [{name, Group} | Properties]},
    Before = [{tc_group_path, [P]} || {tc_group_properties, P} <- Config0],
    Others = lists:keydelete(tc_group_properties, 1, Config0),
    case configured(Run, init_per_group, [Group], [Properly | Before] ++ Others) of
        {ok, Config} -> enter(Run, [{Next, Config} | Open], Path);
        {Result, Reason} -> {Result, Reason, Open, Next}
    end.

configured(#run{suite = Suite} = Run, Function, Before, Config) ->
    case guarded(Run, fun() -> optional(Suite, Function, Before ++ [Config], Config) end, Run#run.limit) of
        {ok, New} when is_list(New) -> {ok, New};
        {ok, Other} ->
            case result({ok, Other}) of
                {ok, _} -> {ok, Config};
                Bad -> Bad
            end;
        Bad -> result(Bad)
    end.

refuse(Cases, Result, Reason) -> [tell(N, Label, Result, Reason) || {N, _, _, Label} <- Cases].

one_case(Run, {N, Path, Name, Label}, Config0) ->
    io:put_chars(io_lib:format("begin ~w ~ts~n", [N, Label])),
    Config = Run#run.saved ++ Config0,
    Outcome = guarded(Run, fun() -> body(Run#run.suite, Name, Config) end, time_limit(Run, Path, Name)),
    {Result, Reason} = result(cleaned(Run, Name, Config, Outcome)),
    tell(N, Label, Result, Reason),
    case Outcome of
        {ok, {save_config, Saved}} -> Run#run{saved = [{saved_config, {Name, Saved}}]};
        _ -> Run#run{saved = []}
    end.

%% Its end_per_testcase is called in a process of its own when that of the case was ended from outside.
cleaned(#run{suite = Suite} = Run, Name, Config, {died, Reason} = Outcome) ->
    End = fun() -> optional(Suite, end_per_testcase, [Name, [{tc_status, {failed, Reason}} | Config]], ok) end,
    _ = guarded(Run, End, min(60000, Run#run.limit)),
    Outcome;
cleaned(_, _, _, Outcome) -> Outcome.

%% In the process of the case.
body(Suite, Name, Config0) ->
    case optional(Suite, init_per_testcase, [Name, Config0], Config0) of
        Config when is_list(Config) ->
            {Status, Value} = called(Suite, Name, Config),
            End = (catch optional(Suite, end_per_testcase, [Name, [{tc_status, Status} | Config]], ok)),
            ended(Value, End);
        Other -> Other
    end.

called(Suite, Name, Config) ->
    try Suite:Name(Config) of
        {save_config, Saved} -> {ok, {save_config, Saved}};
        {Skip, Reason} when Skip =:= skip; Skip =:= skipped -> {{skipped, Reason}, {skip, Reason}};
        {Fail, Reason} when Fail =:= fail; Fail =:= failed; Fail =:= 'EXIT' -> {{failed, Reason}, {fail, Reason}};
        Value -> {ok, Value}
    catch
        Class:{Skip, Reason} when Class =/= error, (Skip =:= skip orelse Skip =:= skipped) ->
            {{skipped, Reason}, {skip, Reason}};
        Class:Reason:Stack -> {{failed, Reason}, {fail, {Class, Reason, Stack}}}
    end.

ended({fail, _} = Failed, _) -> Failed;
ended(_, {fail, Reason}) -> {fail, {end_per_testcase, Reason}};
ended(_, {failed, Reason}) -> {fail, {end_per_testcase, Reason}};
ended(Value, _) -> Value.

%% The innermost that says something: the case, its groups, the suite.
time_limit(#run{suite = Suite, limit = Limit, scale = Scale}, Path, Name) ->
    Groups = [told(Suite, group, [Group]) || {Group, _} <- lists:reverse(Path)],
    Said = [milliseconds(Time) || {timetrap, Time} <- lists:append([told(Suite, Name, []) | Groups] ++
                                                                   [told(Suite, suite, [])])],
    case Said of
        [Time | _] when is_integer(Time) -> min(Limit, Scale * Time);
        _ -> Limit
    end.

told(Suite, Function, Arguments) ->
    case catch optional(Suite, Function, Arguments, []) of
        List when is_list(List) -> List;
        _ -> []
    end.

milliseconds({hours, N}) -> trunc(N * 3600000);
milliseconds({minutes, N}) -> trunc(N * 60000);
milliseconds({seconds, N}) -> trunc(N * 1000);
milliseconds(N) when is_integer(N) -> N;
milliseconds({Time, _Scale}) -> milliseconds(Time);
milliseconds(_) -> infinity.

%% --- What came of it ---

result({ok, {Skip, Reason}}) when Skip =:= skip; Skip =:= skipped -> {skip, Reason};
result({ok, {skip_and_save, Reason, _}}) -> {skip, Reason};
result({ok, {Fail, Reason}}) when Fail =:= fail; Fail =:= failed -> {fail, Reason};
result({ok, _}) -> {ok, none};
result({died, {Skip, Reason}}) when Skip =:= skip; Skip =:= skipped -> {skip, Reason};
result({died, {{nocatch, {Skip, Reason}}, _}}) when Skip =:= skip; Skip =:= skipped -> {skip, Reason};
result({died, Reason}) -> {fail, Reason}.

tell(N, Label, Result, Reason0) ->
    case {Result, nodes_wanted(false)} of
        {ok, _} -> io:put_chars(io_lib:format("end ~w ~ts ok~n", [N, Label]));
        {fail, true} -> io:put_chars(io_lib:format("end ~w ~ts skip no other nodes here~n", [N, Label]));
        _ -> io:put_chars(io_lib:format("end ~w ~ts ~w ~ts~n", [N, Label, Result, one_line(Reason0)]))
    end.

nodes_wanted(Before) -> receive wants_nodes -> nodes_wanted(true) after 0 -> Before end.

one_line(Reason) ->
    Text = try io_lib:format("~0tP", [Reason, 60]) catch _:_ -> "a reason that cannot be shown" end,
    [C || C <- lists:sublist(lists:flatten(Text), 400), C >= 32, C < 127].

%% --- A process with a time limit ---

guarded(#run{leader = Leader}, Fun, Limit) ->
    Pid = spawn_link(fun() -> group_leader(Leader, self()), exit({otp_suite_done, Fun()}) end),
    outcome(Pid, Limit).

outcome(Pid, Limit) ->
    receive
        {'EXIT', Pid, {otp_suite_done, Value}} -> {ok, Value};
        {'EXIT', Pid, Reason} -> {died, Reason};
        {extend, _} -> outcome(Pid, Limit)
    after Limit ->
            Where = (catch process_info(Pid, current_stacktrace)),
            exit(Pid, kill),
            receive {'EXIT', Pid, _} -> ok after 5000 -> unlink(Pid) end,
            {died, {took_longer_than, Limit, Where}}
    end.

%% ct:timetrap/1: the limit counts anew.
extend(_Time) ->
    catch otp_suite ! {extend, self()},
    ok.

%% test_server's ways to other nodes: from now on the case is skipped, whatever comes of it.
wants_nodes() ->
    catch otp_suite ! wants_nodes,
    exit({skip, "no other nodes here"}).
