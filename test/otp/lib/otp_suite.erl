%% Runs the cases of one suite of OTP, one after the other, in this runtime, without common_test (which needs ports,
%% other nodes and more): main([Suite, SuiteFolder, PrivateFolder, First, Milliseconds]).
%%
%% Each case has a number. For each from the First on a line `begin N Case` is printed, and `end N Case Result Reason`
%% when it is over: who reads this knows in which case a runtime died, and begins another one behind it. `over` is last.
%% A case runs in a process of its own, as init_per_testcase and end_per_testcase do; one that takes longer than its
%% suite says, or than Milliseconds, has failed. What suites print is dropped.
-module(otp_suite).
-export([main/1, extend/1, capture/1, captured/0]).

main([SuiteText, Folder, Private, FirstText, LimitText]) ->
    process_flag(trap_exit, true),
    register(otp_suite, self()),
    put(limit, list_to_integer(LimitText)),
    code:add_pathz(Folder),
    Suite = list_to_atom(SuiteText),
    {module, Suite} = code:ensure_loaded(Suite),
    Cases = numbered(Suite),
    Config = [{data_dir, filename:join(Folder, SuiteText ++ "_data") ++ "/"}, {priv_dir, Private ++ "/"}],
    First = list_to_integer(FirstText),
    suite(Suite, [Case || {N, _, _} = Case <- Cases, N >= First], Config),
    io:put_chars("over\n"),
    halt(0).

%% --- Which cases there are: {Number, [Group], Name}, the outermost group first ---

numbered(Suite) ->
    Groups = optional(Suite, groups, [], []),
    Flat = flat(Suite:all(), [], Groups),
    lists:zipwith(fun(N, {Path, Name}) -> {N, Path, Name} end, lists:seq(1, length(Flat)), Flat).

flat(Cases, Path, Groups) when is_list(Cases) -> lists:append([flat_one(C, Path, Groups) || C <- Cases]);
flat(_Skipped, _, _) -> [].

flat_one({group, Name}, Path, Groups) -> group_named(Name, Path, Groups);
flat_one({group, Name, _Properties}, Path, Groups) -> group_named(Name, Path, Groups);
flat_one({group, Name, _Properties, _Nested}, Path, Groups) -> group_named(Name, Path, Groups);
flat_one({testcase, Name, _Properties}, Path, _) -> [{Path, Name}];
flat_one({Name, Properties, Cases}, Path, Groups) when is_list(Properties) -> flat(Cases, Path ++ [Name], Groups);
flat_one({_Module, Name}, Path, _) -> [{Path, Name}];
flat_one(Name, Path, _) when is_atom(Name) -> [{Path, Name}].

group_named(Name, Path, Groups) ->
    case lists:keyfind(Name, 1, Groups) of
        {Name, Cases} -> flat(Cases, Path ++ [Name], Groups);
        {Name, _Properties, Cases} -> flat(Cases, Path ++ [Name], Groups);
        false -> []
    end.

optional(Module, Function, Arguments, Default) ->
    case erlang:function_exported(Module, Function, length(Arguments)) of
        true -> apply(Module, Function, Arguments);
        false -> Default
    end.

%% --- The suite, its groups, its cases ---

suite(Suite, Cases, Config0) ->
    case configured(Suite, init_per_suite, [], Config0) of
        {ok, Config} ->
            Left = walk(Suite, Cases, [{[], Config}]),
            leave(Suite, Left, []),
            guarded(fun() -> optional(Suite, end_per_suite, [Config], ok) end, get(limit));
        {Result, Reason} -> refuse(Cases, Result, {init_per_suite, Reason})
    end.

%% `Open`: the groups that were entered, the innermost first, as {Path, Config}; the suite itself is the last.
walk(_, [], Open) -> Open;
walk(Suite, [{_, Path, _} = Case | Cases], Open0) ->
    Open = leave(Suite, Open0, Path),
    case enter(Suite, Open, Path) of
        {ok, [{_, Config} | _] = Inside} ->
            one_case(Suite, Case, Config),
            walk(Suite, Cases, Inside);
        {Result, Reason, Inside, Bad} ->
            {Refused, Others} = lists:splitwith(fun({_, P, _}) -> lists:prefix(Bad, P) end, [Case | Cases]),
            refuse(Refused, Result, {init_per_group, Reason}),
            walk(Suite, Others, Inside)
    end.

leave(Suite, [{Group, Config} | Outer] = Open, Path) when Group =/= [] ->
    case lists:prefix(Group, Path) of
        true -> Open;
        false ->
            guarded(fun() -> optional(Suite, end_per_group, [lists:last(Group), Config], ok) end, get(limit)),
            leave(Suite, Outer, Path)
    end;
leave(_, Open, _) -> Open.

enter(_, [{Path, _} | _] = Open, Path) -> {ok, Open};
enter(Suite, [{Group, Config0} | _] = Open, Path) ->
    Next = lists:sublist(Path, length(Group) + 1),
    case configured(Suite, init_per_group, [lists:last(Next)], Config0) of
        {ok, Config} -> enter(Suite, [{Next, Config} | Open], Path);
        {Result, Reason} -> {Result, Reason, Open, Next}
    end.

configured(Suite, Function, Before, Config) ->
    case guarded(fun() -> optional(Suite, Function, Before ++ [Config], Config) end, get(limit)) of
        {ok, New} when is_list(New) -> {ok, New};
        {ok, _} = Done -> result(Done);
        Other -> result(Other)
    end.

one_case(Suite, {N, _, Name}, Config) ->
    io:put_chars(io_lib:format("begin ~w ~ts~n", [N, Name])),
    Limit = time_limit(Suite, Name),
    {Result, Reason} = result(guarded(fun() -> body(Suite, Name, Config) end, Limit)),
    tell(N, Name, Result, Reason).

body(Suite, Name, Config0) ->
    case optional(Suite, init_per_testcase, [Name, Config0], Config0) of
        Config when is_list(Config) ->
            Result = try {returned, Suite:Name(Config)} catch Class:Reason:Stack -> {Class, Reason, Stack} end,
            End = (catch optional(Suite, end_per_testcase, [Name, Config], ok)),
            case {Result, End} of
                {{returned, _}, {fail, Why}} -> exit(Why);
                {{returned, Value}, _} -> Value;
                {{Class1, Reason1, Stack1}, _} -> erlang:raise(Class1, Reason1, Stack1)
            end;
        Other -> Other
    end.

time_limit(Suite, Name) ->
    Said = lists:flatten([(catch optional(Suite, suite, [], [])), (catch optional(Suite, Name, [], []))]),
    Times = [milliseconds(Time) || {timetrap, Time} <- Said],
    lists:min([get(limit) | lists:sublist(lists:reverse(Times), 1)]).

milliseconds({hours, N}) -> trunc(N * 3600000);
milliseconds({minutes, N}) -> trunc(N * 60000);
milliseconds({seconds, N}) -> trunc(N * 1000);
milliseconds(N) when is_integer(N) -> N;
milliseconds(_) -> infinity.

%% --- What came of it ---

result({ok, {Skip, Reason}}) when Skip =:= skip; Skip =:= skipped -> {skip, Reason};
result({ok, {skip_and_save, Reason, _}}) -> {skip, Reason};
result({ok, {fail, Reason}}) -> {fail, Reason};
result({ok, {failed, Reason}}) -> {fail, Reason};
result({ok, _}) -> {ok, none};
result({died, {Skip, Reason}}) when Skip =:= skip; Skip =:= skipped -> {skip, Reason};
result({died, {{nocatch, {Skip, Reason}}, _}}) when Skip =:= skip; Skip =:= skipped -> {skip, Reason};
result({died, Reason}) -> {fail, Reason}.

refuse(Cases, Result, Reason) -> [tell(N, Name, Result, Reason) || {N, _, Name} <- Cases].

tell(N, Name, Result, none) -> io:put_chars(io_lib:format("end ~w ~ts ~w~n", [N, Name, Result]));
tell(N, Name, Result, Reason) ->
    io:put_chars(io_lib:format("end ~w ~ts ~w ~ts~n", [N, Name, Result, one_line(Reason)])).

one_line(Reason) ->
    Text = try io_lib:format("~0tP", [Reason, 40]) catch _:_ -> "a reason that cannot be shown" end,
    [C || C <- lists:sublist(lists:flatten(Text), 300), C >= 32, C < 127].

%% --- A process with a time limit ---

guarded(Fun, Limit) ->
    Leader = spawn_link(fun() -> dropped(none) end),
    Pid = spawn_link(fun() -> group_leader(Leader, self()), exit({otp_suite_done, Fun()}) end),
    Outcome = outcome(Pid, Limit),
    unlink(Leader),
    exit(Leader, kill),
    Outcome.

outcome(Pid, Limit) ->
    receive
        {'EXIT', Pid, {otp_suite_done, Value}} -> {ok, Value};
        {'EXIT', Pid, Reason} -> {died, Reason};
        {extend, _} -> outcome(Pid, Limit)
    after Limit ->
            Where = (catch process_info(Pid, current_stacktrace)),
            unlink(Pid),
            exit(Pid, kill),
            {died, {took_longer_than, Limit, Where}}
    end.

%% ct:timetrap/1: the limit counts anew.
extend(_Time) ->
    catch otp_suite ! {extend, self()},
    ok.

%% --- The group leader of suites ---

capture(Whether) -> ask_leader({capture, Whether}).
captured() -> ask_leader(captured).

ask_leader(What) ->
    Tag = make_ref(),
    group_leader() ! {What, self(), Tag},
    receive {Tag, Answer} -> Answer after 5000 -> [] end.

dropped(Kept) ->
    receive
        {io_request, From, Tag, Request} ->
            {Answer, Text} = answer(Request),
            From ! {io_reply, Tag, Answer},
            dropped(if Kept =:= none; Text =:= [] -> Kept; true -> [Text | Kept] end);
        {{capture, true}, From, Tag} -> From ! {Tag, ok}, dropped([]);
        {{capture, false}, From, Tag} -> From ! {Tag, ok}, dropped(stopped(Kept));
        {captured, From, Tag} -> From ! {Tag, texts(Kept)}, dropped(none);
        _ -> dropped(Kept)
    end.

stopped(none) -> none;
stopped(Kept) -> {stopped, Kept}.
texts({stopped, Kept}) -> lists:reverse(Kept);
texts(Kept) when is_list(Kept) -> lists:reverse(Kept);
texts(none) -> [].

answer({put_chars, _, Text}) -> {ok, text(Text)};
answer({put_chars, Text}) -> {ok, text(Text)};
answer({put_chars, _, M, F, A}) -> {ok, text(catch apply(M, F, A))};
answer({put_chars, M, F, A}) -> {ok, text(catch apply(M, F, A))};
answer({requests, Requests}) ->
    Answers = [answer(R) || R <- Requests],
    {element(1, lists:last([{ok, []} | Answers])), lists:append([T || {_, T} <- Answers])};
answer(getopts) -> {[{encoding, unicode}], []};
answer({setopts, _}) -> {ok, []};
answer({get_geometry, _}) -> {{error, enotsup}, []};
answer(R) when element(1, R) =:= get_line; element(1, R) =:= get_chars; element(1, R) =:= get_until -> {eof, []};
answer(_) -> {{error, request}, []}.

text(Text) ->
    case catch unicode:characters_to_list(Text) of
        List when is_list(List) -> List;
        _ -> []
    end.
