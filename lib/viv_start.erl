%% The first process. It starts the few servers that every program may count on, runs the program in a process of its
%% own, and then answers as `init` does (init(3)); when the program is over, it ends the runtime.
-module(viv_start).
-export([start/1, server/4, signal_server/1]). % signal_server: what proc_lib starts

%% Options: pairs of
%%   program   {erl | beam, File} | {module, Name}
%%   arguments the program's, strings
%%   pa, pz    directories, strings
%%   features  [{'enable-feature' | 'disable-feature', [Feature]}], strings
%%   root      of OTP: a string, or undefined
%%   searched  where a root was looked for, strings
start(Options0) ->
    Options = maps:from_list(Options0),
    register(init, self()),
    process_flag(trap_exit, true),
    group_leader(viv_io:start(), self()),
    Logger = viv_logger:start(),
    Applications = viv_applications:hold(),
    start_purger(Options),
    InitGlobal = fun() -> viv_code:init_unseen(global, global_name_server) end,
    Global = viv_relay:become(global_name_server, global, InitGlobal),
    ok = viv_code:start(Options, [{logger, Logger}, {application_controller, Applications},
                                  {global_name_server, Global}, {inet_db, viv_inet:hold()}]),
    start_relays(),
    {_, Ref} = spawn_monitor(fun() -> main(Options) end),
    loop(Options#{main_ref => Ref, applications => Applications, status => running, flags => flags(Options)}).

%% Nothing can be purged without the stock process that does it.
start_purger(#{root := undefined}) -> ok;
start_purger(_) ->
    _ = server(erts_code_purger, erts_code_purger, start, wait_for_request),
    _ = server(undefined, erts_literal_area_collector, start, start),
    ok.

%% The stock process Module, which takes Name now and is loaded when it is first asked.
server(_Name, _Module, _Start, _Entry) -> erlang:nif_error(undef). % -> pid()

start_relays() ->
    Generic = [erlang, gen_server, gen, proc_lib, ets],
    Init = fun(Module, Others, Argument) -> viv_code:preload([Module | Others] ++ Generic), Module:init(Argument) end,
    _ = viv_relay:become(file_server_2, file_server, fun() -> Init(file_server, [prim_file], []) end),
    [_ = viv_relay:become(Name, supervisor, fun() -> Init(supervisor, [], {{local, Name}, viv_relay, []}) end)
     || Name <- [kernel_sup, kernel_safe_sup]],
    _ = viv_relay:start(erl_signal_server, fun start_signal_server/0),
    ok.

%% Where os:set_signal/2 sends what comes. gen_event:start_link would find the name taken, before it registers it.
start_signal_server() ->
    {ok, Pid} = proc_lib:start_link(?MODULE, signal_server, [self()]),
    ok = gen_event:add_handler(Pid, erl_signal_handler, []),
    {ok, Pid}.

signal_server(Parent) ->
    register(erl_signal_server, self()),
    gen_event:init_it(Parent, Parent, {local, erl_signal_server}, gen_event, [], []).

%% As init:get_arguments/0 of a runtime that was started with these.
flags(#{root := Root, progname := Program, pa := Before, pz := After, features := Features}) ->
    place(Root) ++ [{progname, [Program]}] ++
        [{home, [Home]} || Home <- [os:getenv("HOME")], Home =/= false] ++
        [{epmd_port, [Port]} || Port <- [os:getenv("ERL_EPMD_PORT")], Port =/= false] ++ % as erlexec(1) does
        [{pa, Before} || Before =/= []] ++ [{pz, After} || After =/= []] ++ Features ++ [{noshell, []}, {noinput, []}].

%% OTP's own programs are in the second (inet_gethost, which looks names up).
place(undefined) -> [];
place(Root) -> [{root, [Root]}, {bindir, [Root ++ "/erts-" ++ erlang:system_info(version) ++ "/bin"]}].

loop(State = #{main_ref := Ref, applications := Applications, status := Status}) ->
    receive
        {stop, {stop, New}} ->
            loop(stop(New, State));
        {stop, _} ->
            loop(stop(0, State));
        {Applications, stopped} ->
            finish(Status),
            loop(State);
        {kernel_pid, Name, Reason} ->
            complain([<<"viv: ">>, atom_to_binary(Name), <<" ended: ">>, reason(Reason), $\n]),
            finish(1),
            loop(State#{status => 1});
        {'DOWN', Ref, process, _, normal} ->
            loop(stop(0, State));
        {'DOWN', Ref, process, _, Reason} when Status =:= running ->
            complain([<<"viv: the main process was killed: ">>, viv_io:format_term(Reason), $\n]),
            loop(stop(1, State));
        {From, Request} when is_pid(From) ->
            From ! {init, answer(Request, State)},
            loop(State);
        {io_request, _, _, _} = Request ->
            user ! Request,
            loop(State);
        _ ->
            loop(State)
    after viv_system:look_at_clock() ->
        loop(State)
    end.

%% The application controller says it in a string.
reason(Text) when is_list(Text) -> Text;
reason(Reason) -> viv_io:format_term(Reason).

answer(get_plain_arguments, #{arguments := Arguments}) ->
    [unicode:characters_to_binary(A) || A <- Arguments];
answer(get_arguments, #{flags := Flags}) ->
    Flags;
answer({get_argument, Flag}, #{flags := Flags}) ->
    case [Values || {Name, Values} <- Flags, Name =:= Flag] of
        [] -> error;
        Found -> {ok, Found}
    end;
answer(get_status, #{status := running}) -> {started, started};
answer(get_status, _) -> {stopping, started};
answer(script_id, _) -> {"viv", ""};
answer(get_script_name, #{program := {_, Name}}) -> {[], Name};
answer(fetch_loaded, _) -> viv_code:loaded();
answer({notify_when_started, _}, _) -> started;
answer({ensure_loaded, _}, _) -> not_allowed;
answer({get_configfd, _}, _) -> none;
answer(_, _) -> error.

%% The applications stop first: they may print, log and ask for more code.
stop(Status, State = #{status := running, applications := Applications}) ->
    viv_relay:stop(Applications),
    State#{status := Status};
stop(_, State) ->
    State.

%% What was printed and logged before comes out first. By a process of its own: whoever that takes may have questions.
finish(Status) ->
    spawn(fun() ->
                  viv_logger:sync(),
                  viv_io:flush(),
                  erlang:halt(Status)
          end).

main(Options = #{program := Program, arguments := Arguments}) ->
    try
        Module = load(Program, Options),
        Function = entry(Module),
        case is_called_with_arguments(Module, Function, Arguments) of
            true -> Module:Function(Arguments);
            false -> Module:Function()
        end
    of
        _ -> init ! {stop, stop}
    catch
        throw:{viv_start, Message} ->
            complain([<<"viv: ">>, Message, $\n]),
            init ! {stop, {stop, 1}};
        Class:Reason:Stack ->
            report(Class, Reason, program_frames(Stack), Options),
            init ! {stop, {stop, 1}}
    end.

entry(Module) ->
    case erlang:function_exported(Module, main, 1) orelse erlang:function_exported(Module, main, 0) of
        true -> main;
        false -> fail([<<"module ">>, atom_to_binary(Module), <<" exports neither main/1 nor main/0">>])
    end.

%% main/1, unless there is nothing to give it and main/0 is there too.
is_called_with_arguments(Module, Function, Arguments) ->
    erlang:function_exported(Module, Function, 1) andalso
        not (Arguments =:= [] andalso erlang:function_exported(Module, Function, 0)).

-spec fail(iodata()) -> no_return().
fail(Message) -> throw({viv_start, Message}).

load({module, Name}, Options) ->
    is_path(Name) andalso
        fail([unicode:characters_to_binary(Name), <<": neither a module's name nor FILE.erl nor FILE.beam">>]),
    Module = list_to_atom(Name),
    case viv_code:ensure_loaded(Module) of
        {module, Module} -> Module;
        {error, nofile} -> fail([<<"there is no module ">>, unicode:characters_to_binary(Name), looked(Options)]);
        {error, Reason} -> fail([unicode:characters_to_binary(Name), <<": ">>, viv_io:format_term(Reason)])
    end;
load({beam, File}, _) ->
    {Directory, Base} = split(File),
    Name = first_of(Base, length(Base) - length(".beam")),
    case viv_code:read_first([Directory], Base) of
        {ok, _, Code} -> load_code(list_to_atom(Name), Code, File);
        none -> fail([unicode:characters_to_binary(File), <<": cannot be read">>])
    end;
load({erl, File}, Options = #{root := undefined}) ->
    fail([unicode:characters_to_binary(File), <<": no compiler">>, looked(Options)]);
load({erl, File}, _) ->
    {Folder, Base} = split(File),
    _ = viv_code:read_first([Folder], Base) =/= none orelse
        fail([unicode:characters_to_binary(File), <<": cannot be read">>]),
    case compile:file(File, [binary, return, {i, Folder}, {parse_transform, viv_tracer}]) of
        {ok, Module, Code, Warnings} ->
            diagnostics(Warnings, "Warning: "),
            load_code(Module, Code, File);
        {error, Errors, Warnings} ->
            diagnostics(Errors, ""),
            diagnostics(Warnings, "Warning: "),
            fail([unicode:characters_to_binary(File), <<": does not compile">>]);
        error ->
            fail([unicode:characters_to_binary(File), <<": the compiler failed">>])
    end.

is_path([$/ | _]) -> true;
is_path([_ | Rest]) -> is_path(Rest);
is_path([]) -> false.

load_code(Module, Code, File) ->
    case viv_code:load_binary(Module, Code) of
        {module, Module} -> Module;
        {error, Reason} -> fail([unicode:characters_to_binary(File), <<": ">>, viv_io:format_term(Reason)])
    end.

%% In the form of the stock compiler's report option.
diagnostics(Files, Prefix) ->
    [[complain(diagnostic(File, Info, Prefix)) || Info <- Infos] || {File, Infos} <- Files],
    ok.

diagnostic(File, {none, Module, Info}, Prefix) ->
    io_lib:format("~ts: ~ts~ts\n", [File, Prefix, Module:format_error(Info)]);
diagnostic(File, {{Line, Column}, Module, Info}, Prefix) ->
    io_lib:format("~ts:~w:~w: ~ts~ts\n", [File, Line, Column, Prefix, Module:format_error(Info)]);
diagnostic(File, {Line, Module, Info}, Prefix) ->
    io_lib:format("~ts:~w: ~ts~ts\n", [File, Line, Prefix, Module:format_error(Info)]).

%% {Directory, Name}
split(Path) -> split(Path, [], ".").

split([$/ | Rest], Name, ".") -> split(Rest, [], reverse(Name, [$/]));
split([$/ | Rest], Name, Directory) -> split(Rest, [], Directory ++ reverse(Name, [$/]));
split([C | Rest], Name, Directory) -> split(Rest, [C | Name], Directory);
split([], Name, Directory) -> {Directory, reverse(Name, [])}.

reverse([H | T], Tail) -> reverse(T, [H | Tail]);
reverse([], Tail) -> Tail.

first_of(_, 0) -> [];
first_of([H | T], N) -> [H | first_of(T, N - 1)].

%% Without the frames of the start-up.
program_frames([{?MODULE, _, _, _} | _]) -> [];
program_frames([Frame | Stack]) -> [Frame | program_frames(Stack)];
program_frames([]) -> [].

report(Class, Reason, Stack, Options) ->
    Text = try
               [erl_error:format_exception(Class, Reason, Stack), $\n]
           catch
               _:_ -> plain(Class, Reason, Stack)
           end,
    complain([Text, missing(Reason, Stack, Options)]).

plain(Class, Reason, Stack) ->
    [<<"exception ">>, atom_to_binary(Class), <<": ">>, viv_io:format_term(Reason), $\n,
     [[<<"  in ">>, viv_io:format_term(Frame), $\n] || Frame <- Stack]].

%% A function of a module that could not be found: say where it was looked for.
missing(undef, [{Module, _, _, _} | _], Options) ->
    case erlang:module_loaded(Module) of
        true -> [];
        false -> [<<"viv: there is no module ">>, atom_to_binary(Module), looked(Options), $\n]
    end;
missing(_, _, _) -> [].

looked(#{root := undefined, searched := Searched}) ->
    [<<"; no OTP was found (looked in ">>, join(Searched), <<"; see --otp)">>];
looked(Options = #{root := Root}) ->
    [<<"; looked in ">>, join(viv_code:directories(Options, [])),
     <<" and the libraries of ">>, unicode:characters_to_binary(Root)].

join([Last]) -> unicode:characters_to_binary(Last);
join([First | Rest]) -> [unicode:characters_to_binary(First), <<", ">>, join(Rest)];
join([]) -> <<"nothing">>.

complain(Text) ->
    viv_io:flush(),
    _ = viv_io:write_all(2, unicode:characters_to_binary(Text)),
    ok.
