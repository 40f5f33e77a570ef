%% Finds and loads modules until the stock code server is asked for, and starts that when it is.
%%
%% The process `viv_code` loads modules on demand for error_handler: from the directories of -pa, the current directory,
%% the OTP root and -pz. The first request to `code_server` starts the stock erl_prim_loader and code_server
%% (viv_relay). From then on error_handler goes through the stock code server too, so that paths added there count.
%%
%% Some stock modules read the tables of a server without asking it: `code` those of the code server (from OTP 26
%% on), `application` those of the application controller, `logger` those of the logger, `global` and `inet_db` their
%% own; erl_prim_loader expects its server, which the code server needs as well. They are gated: who first needs one
%% starts the server, and nobody sees the module before the server is ready. A gate is {closed, Starter}, then
%% {[{Module, Client}] who wait, Starter}, then gone.
-module(viv_code).
-export([start/2, directories/2, ensure_loaded/1, preload/1, load_binary/2, load/1, loaded/0, searched/0, opened/1]).
-export([holders/1, holders/2]).
-export([held/1, held_file/1, read_first/2, unpacked/1, library_paths/1, fun_is_loaded/1, ask_holder/3]).
-export([init_unseen/1, init_unseen/2, begin_on_load/2]).
-export([finish/1, begin_on_load/1, call_on_load/1, on_load_returned/1, finish_after_on_load/2]). % for viv_code_set

-record(state, {path, loaded = #{}, pending = #{}, stock = false, gates = #{}}).

held(_Module) -> erlang:nif_error(undef). % -> Code of one that is the runtime's own | none
held_file(_Name) -> erlang:nif_error(undef). % -> Binary: one of the runtime's own files that are no modules | none
read_first(_Dirs, _File) -> erlang:nif_error(undef). % -> {ok, Path, Binary} | none
unpacked(_Code) -> erlang:nif_error(undef). % -> Binary: what it holds when it is compressed as a whole
library_paths(_Root) -> erlang:nif_error(undef).  % -> [Dir]: ebin folders under an OTP root
fun_is_loaded(_Fun) -> erlang:nif_error(undef).
begin_on_load(_Prepared) -> erlang:nif_error(undef). % -> true | {error, pending_on_load}: it may be called now
begin_on_load(_Prepared, _Function) -> erlang:nif_error(undef). % the same, for code without: Function([]) in its place
call_on_load(_Prepared) -> erlang:nif_error(undef).  % -> what the function returns
on_load_returned(_Prepared) -> erlang:nif_error(undef). % -> true: it may be finished like any other

%% Servers: [{logger | application_controller, Pid}], the processes that start them when they get viv_relay:open/1 and
%% then call opened/1.
ask_holder(_Pid, _Id, _Module) -> erlang:nif_error(undef). % -> ok; sends {holder, Id, Reasons}

%% Where modules are looked for; of several -pa the last one is first, as for `erl`.
directories(#{pa := Before, pz := After}, Libraries) -> lists:reverse(Before, ["."]) ++ Libraries ++ After.

start(Options = #{root := Root}, Servers) ->
    {Libraries, Gated} = case Root of
                             undefined -> {[], []};
                             _ -> {library_paths(Root), Servers}
                         end,
    Stock = viv_relay:start(code_server, fun start_stock/0),
    Gates = maps:from_list([{Name, {closed, Starter}} || {Name, Starter} <- [{code_server, Stock} | Gated]]),
    Parent = self(),
    Loader = spawn(fun() ->
                           register(viv_code, self()),
                           Parent ! {self(), ready},
                           loop(#state{path = directories(Options, Libraries), gates = Gates})
                   end),
    receive {Loader, ready} -> ok end.

%% -> {module, Module} | {error, Reason}, or {stand_in, Other} when Other has to answer for a module behind a gate.
ensure_loaded(Module) ->
    case erlang:module_loaded(Module) of
        true -> {module, Module};
        false -> find(Module)
    end.

%% What the runtime has of its own needs no path.
find(Module) ->
    case held(Module) of
        none -> look(Module);
        Code -> request({load_held, Module, Code})
    end.

look(Module) ->
    case request({load, Module}) of
        ask_stock -> code:ensure_loaded(Module);
        Result -> Result
    end.

%% -> {module, Module} | {error, Reason}
load_binary(Module, Code) ->
    request({load_binary, Module, Code}).

%% Loads several modules at once, on_load functions included: [{Module, File, Code}] -> ok | {error, [{Module, What}]}.
%% See viv_code_set.
load(Modules) -> viv_code_set:load(Modules).

%% Makes all of [{Module, {Prepared, File}}] current, or none of them -> ok | {error, [{Module, What}]}
%% In a node there is no viv_code, but always the stock code server.
finish(Set) ->
    case whereis(viv_code) =:= undefined orelse request({finish, Set}) of
        Stock when Stock =:= true; Stock =:= ask_stock -> code_server:call({finish_loading, Set, false});
        Result -> Result
    end.

%% Who keeps the old code of Module, or its literals, from being freed -> [{Pid, Reason}]. Reason is
%%   stack      it runs the code, or will return to it
%%   'fun'      it has a fun of it
%%   literal    it refers to a literal of it (a fun of it does)
%%   native     the code called a native function on a dirty thread, which has not returned
%%   no_answer  it is in such a call, made by other code, and did not answer within Timeout milliseconds
holders(Module) -> holders(Module, 5000).

holders(Module, Timeout) when is_atom(Module), is_integer(Timeout), Timeout >= 0 ->
    {Pid, Ref} = spawn_monitor(fun() -> exit({holders, ask_holders(Module, Timeout)}) end),
    receive
        {'DOWN', Ref, process, Pid, {holders, Holders}} -> Holders;
        {'DOWN', Ref, process, Pid, Reason} -> exit(Reason)
    end.

%% In a process of its own, which leaves answers that come too late to nobody.
ask_holders(Module, Timeout) ->
    Pids = [Pid || Pid <- erlang:processes(), Pid =/= self()],
    [ok = ask_holder(Pid, Pid, Module) || Pid <- Pids],
    Timer = erlang:start_timer(Timeout, self(), late),
    Answers = holder_answers(length(Pids), Timer, #{}),
    reasons(Pids, Answers).

holder_answers(0, _, Answers) -> Answers;
holder_answers(N, Timer, Answers) ->
    receive
        {holder, Pid, Reasons} -> holder_answers(N - 1, Timer, Answers#{Pid => Reasons});
        {timeout, Timer, late} -> Answers
    end.

reasons([Pid | Pids], Answers) ->
    case Answers of
        #{Pid := Reasons} when is_list(Reasons) -> [{Pid, Reason} || Reason <- Reasons] ++ reasons(Pids, Answers);
        #{Pid := native} -> [{Pid, native} | reasons(Pids, Answers)];
        #{Pid := undefined} -> reasons(Pids, Answers);
        #{} -> [{Pid, no_answer} | reasons(Pids, Answers)]
    end;
reasons([], _) -> [].

%% What has been loaded from files: [{Module, File}].
loaded() -> request(loaded).

%% The init/1 of a server behind a gate whose own module it is that reads its tables: nobody sees the module before they
%% are there.
init_unseen(Module, Server) ->
    Result = init_unseen(Module),
    opened(Server),
    Result.

%% The same where more is to be done before the gate opens.
init_unseen(Module) ->
    {ok, File, Code} = read_first(searched(), atom_to_list(Module) ++ ".beam"),
    Prepared = prepare(Module, Code),
    true = begin_on_load(Prepared, init),
    Result = call_on_load(Prepared),
    true = on_load_returned(Prepared),
    ok = finish([{Module, {Prepared, File}}]),
    Result.

%% The server behind a gate is ready.
opened(Server) ->
    viv_code ! {opened, Server},
    ok.

searched() -> request(path).

request(Request) ->
    case whereis(viv_code) of
        Pid when is_pid(Pid), Pid =/= self() ->
            Ref = monitor(process, Pid),
            Pid ! {request, self(), Ref, Request},
            receive
                {Ref, Result} ->
                    demonitor(Ref, [flush]),
                    Result;
                {'DOWN', Ref, process, _, Reason} ->
                    {error, Reason}
            end;
        _ ->
            {error, undef}
    end.

loop(State) ->
    receive
        {request, From, Ref, Request} ->
            loop(handle(Request, {From, Ref}, State));
        {{'DOWN', on_load, Module}, _, process, _, Returned} ->
            _ = begin_to_finish(Module, Returned),
            loop(State);
        {{'DOWN', finish, Module}, _, process, _, {finished, Result}} ->
            loop(on_load_done(Module, Result, State));
        {{'DOWN', finish, Module}, _, process, _, Reason} -> % somebody has killed it
            _ = begin_to_finish(Module, Reason),
            loop(State);
        {stock, Pids} ->
            loop(State#state{stock = Pids});
        {opened, Server} ->
            loop(open(Server, State));
        {timeout, _, {gate, Server}} ->
            loop(open(Server, State));
        {{'DOWN', Server}, _, process, _, _} ->
            loop(open(Server, State));
        _ ->
            loop(State)
    end.

handle(loaded, Client, State = #state{loaded = Loaded}) ->
    Within = erlang:pre_loaded(), % whatever file they come from here
    reply(Client, [{M, map_get(M, Loaded)} || M <- maps:keys(Loaded), not is_one_of(M, Within)]),
    State;
handle(path, Client, State) ->
    reply(Client, State#state.path),
    State;
handle({load_binary, Module, _}, Client, State = #state{pending = Pending}) when is_map_key(Module, Pending) ->
    reply(Client, {error, pending_on_load}),
    State;
handle({load_held, Module, Code}, Client, State) ->
    case erlang:module_loaded(Module) of % two may have asked
        true -> reply(Client, {module, Module}), State;
        false -> load_code(Module, "", Code, Client, State)
    end;
handle({load_binary, Module, Code}, Client, State) ->
    load_code(Module, "", Code, Client, State);
handle({finish, _}, Client, State = #state{stock = Stock}) when is_list(Stock) ->
    reply(Client, ask_stock),
    State;
handle({finish, Set}, Client, State = #state{loaded = Loaded, pending = Pending}) ->
    Result = case [{Module, pending_on_load} || {Module, _} <- Set, is_map_key(Module, Pending)] of
                 [] -> finish_now(Set);
                 Refused -> {error, Refused}
             end,
    reply(Client, Result),
    case Result of
        ok -> State#state{loaded = add_files(Set, Loaded)};
        _ -> State
    end;
handle({load, Module}, {From, _} = Client, State = #state{pending = Pending, stock = Stock}) ->
    case Pending of
        #{Module := {From, _}} -> % its on_load function, which calls itself from outside: as on the stock runtime
            reply(Client, {error, deadlock}),
            State;
        #{Module := {OnLoad, Clients}} ->
            State#state{pending = Pending#{Module := {OnLoad, [Client | Clients]}}};
        #{} when is_list(Stock) ->
            %% The servers themselves must not wait for each other, nor any helper of theirs; the stock runtime has the
            %% modules that they all need from the start.
            case is_one_of(From, Stock) orelse is_one_of(Module, stock_preloaded()) of
                true -> load_new(Module, Client, State);
                false -> at_gate(gate(Module), Module, Client, State)
            end;
        #{} ->
            at_gate(gate(Module), Module, Client, State)
    end.

gate(code) -> code_server;
gate(erl_prim_loader) -> code_server; % that starts its server
gate(code_server) -> code_server;
gate(application) -> application_controller;
gate(application_controller) -> application_controller;
gate(logger) -> logger;
gate(logger_config) -> logger;
gate(global) -> global_name_server;
gate(inet_db) -> inet_db;
gate(_) -> none.

at_gate(Server, Module, {From, _} = Client, State = #state{gates = Gates}) ->
    case Gates of
        #{Server := {_, From}} ->
            load_new(Module, Client, State);
        #{Server := {closed, Pid}} ->
            viv_relay:open(Pid),
            %% Should the start fail, or need what is behind the gate: nobody waits for ever.
            _ = monitor(process, Pid, [{tag, {'DOWN', Server}}]),
            _ = erlang:start_timer(5000, self(), {gate, Server}),
            State#state{gates = Gates#{Server := {[{Module, Client}], Pid}}};
        #{Server := {Waiting, Pid}} ->
            %% What the controller itself calls there leads to this function of its own (application:get_env/2).
            case Module =:= application andalso whereis(application_controller) =:= From of
                true ->
                    reply(Client, {stand_in, application_controller}),
                    State;
                false ->
                    State#state{gates = Gates#{Server := {[{Module, Client} | Waiting], Pid}}}
            end;
        #{} when State#state.stock =:= false ->
            load_new(Module, Client, State);
        #{} ->
            reply(Client, ask_stock),
            State
    end.

open(Server, State = #state{gates = Gates}) ->
    case Gates of
        #{Server := {Waiting, _}} when is_list(Waiting) ->
            load_waiting(Waiting, State#state{gates = maps:remove(Server, Gates)});
        #{} ->
            State
    end.

load_waiting([{Module, Client} | Waiting], State) ->
    load_waiting(Waiting, handle({load, Module}, Client, State));
load_waiting([], State) ->
    State.

%% erlang:pre_loaded() of the stock runtime, as far as the modules are of use here.
stock_preloaded() ->
    [atomics, counters, erl_prim_loader, erl_tracer, erlang, erts_code_purger, erts_internal,
     erts_literal_area_collector, init, persistent_term, prim_buffer, prim_eval, prim_file, prim_net, prim_socket,
     prim_zip, socket_registry, zlib].

is_one_of(X, [X | _]) -> true;
is_one_of(X, [_ | T]) -> is_one_of(X, T);
is_one_of(_, []) -> false.

load_new(Module, Client, State) ->
    case erlang:module_loaded(Module) of
        true ->
            reply(Client, {module, Module}),
            State;
        false ->
            case read_first(State#state.path, atom_to_list(Module) ++ ".beam") of
                {ok, File, Code} -> load_code(Module, File, Code, Client, State);
                none -> reply(Client, {error, nofile}), State
            end
    end.

load_code(Module, File, Code, Client, State = #state{loaded = Loaded, pending = Pending}) ->
    case prepare(Module, Code) of
        {error, _} = Error ->
            reply(Client, Error),
            State;
        Prepared when Module =:= prim_socket -> % nobody sees it before it has its tables, and its registry
            true = begin_on_load(Prepared, on_load),
            {Pid, _} = ended(on_load, Module, fun() -> exit(with_registry(call_on_load(Prepared))) end),
            State#state{loaded = Loaded#{Module => File}, pending = Pending#{Module => {Pid, [Client]}}};
        Prepared ->
            Now = State#state{loaded = Loaded#{Module => File}},
            case erlang:finish_loading([Prepared]) of
                ok ->
                    reply(Client, {module, Module}),
                    Now;
                {on_load, [Module]} ->
                    Now#state{pending = Pending#{Module => {run_on_load(Module), [Client]}}};
                {Reason, _} ->
                    reply(Client, {error, Reason}),
                    State
            end
    end.

%% Its registry is spawned there, and gives itself the name by which others ask it.
with_registry(ok) ->
    case whereis(socket_registry) of
        undefined -> receive after 1 -> with_registry(ok) end;
        _ -> ok
    end;
with_registry(Other) -> Other.

prepare(Module, <<"FOR1", _/binary>> = Code) -> erts_internal:prepare_loading(Module, Code);
prepare(Module, Code) -> erts_internal:prepare_loading(Module, unpacked(Code)).

finish_now(Set) ->
    case erlang:finish_loading([Prepared || {_, {Prepared, _}} <- Set]) of
        ok -> ok;
        {Reason, Modules} -> {error, [{Module, Reason} || Module <- Modules]}
    end.

add_files([{Module, {_, File}} | Set], Loaded) -> add_files(Set, Loaded#{Module => File});
add_files([], Loaded) -> Loaded.

%% As code(3) has it: the module stays only if the function returns ok. Otherwise it is purged.
run_on_load(Module) ->
    {Pid, _} = ended(on_load, Module, fun() -> exit(erlang:call_on_load_function(Module)) end),
    Pid.

begin_to_finish(Module, Returned) ->
    ended(finish, Module, fun() ->
                                  Result = finish_on_load(Module, Returned),
                                  report_on_load(Module, Result),
                                  exit({finished, Result})
                          end).

%% A process whose end comes as {{'DOWN', Step, Module}, ...}.
ended(Step, Module, Fun) -> spawn_opt(Fun, [{monitor, [{tag, {'DOWN', Step, Module}}]}]).

%% While the function ran others may have loaded the module, so that there is old code; or given this up.
finish_on_load(Module, ok) ->
    try erlang:finish_after_on_load(Module, true) of
        true -> ok
    catch
        error:badarg ->
            ok = finish_after_on_load(Module, false),
            not_purged
    end;
finish_on_load(Module, Result) ->
    ok = finish_after_on_load(Module, false),
    Result.

finish_after_on_load(Module, false) ->
    case whereis(erts_code_purger) of
        undefined ->
            true = erlang:finish_after_on_load(Module, false),
            ok;
        Purger ->
            give_up(Purger, Module)
    end.

%% The stock purger forgets such a request when it comes in the midst of a purge; but keeps those to purge, and answers
%% in the order in which they came. There is no module of the second one's name.
give_up(Purger, Module) ->
    [First, Second] = [make_ref(), make_ref()],
    Purger ! {finish_after_on_load, {Module, false}, self(), First},
    Purger ! {soft_purge, '', self(), Second},
    receive
        {reply, finish_after_on_load, ok, First} ->
            receive {reply, soft_purge, _, Second} -> ok end;
        {reply, soft_purge, _, Second} ->
            give_up(Purger, Module)
    end.

report_on_load(_, Atom) when is_atom(Atom) -> ok;
report_on_load(Module, Term) ->
    logger ! {log, warning, "The on_load function for module ~s returned:~n~P\n", [Module, Term, 10],
              #{pid => self(), gl => group_leader(), time => os:system_time(microsecond),
                error_logger => #{tag => warning_msg}}},
    ok.

on_load_done(Module, Result, State = #state{pending = Pending, loaded = Loaded}) ->
    #{Module := {_, Clients}} = Pending,
    {Answer, Left} = case Result of
                         ok -> {{module, Module}, Loaded};
                         _ -> {{error, on_load_failure}, maps:remove(Module, Loaded)}
                     end,
    reply_all(Clients, Answer),
    State#state{pending = maps:remove(Module, Pending), loaded = Left}.

reply_all([Client | Clients], Answer) ->
    reply(Client, Answer),
    reply_all(Clients, Answer);
reply_all([], _) -> ok.

reply({From, Ref}, Answer) -> From ! {Ref, Answer}.

%% What the stock servers call while they load something must be there already, or they would wait for each other: the
%% modules that the stock runtime has before it loads anything, and what the code server itself asks for.
start_stock() ->
    preload([erlang, erts_internal, init, prim_file, prim_buffer, prim_eval, prim_zip, zlib, erl_prim_loader,
             persistent_term, atomics, counters, code_server, beam_lib, binary, ets, filename, gb_sets,
             gb_trees, lists, os, unicode, erl_features,
             prim_socket]), % that has its tables, whoever asks for its code
    {ok, _} = erl_prim_loader:start(),
    {ok, _} = erl_prim_loader:get_path(), % that of OTP 27 says `ok` before all of it is there; it answers afterwards
    {ok, [[Root]]} = init:get_argument(root),
    {ok, Server} = code_server:start_link([filename:join([Root]), interactive]),
    viv_code ! {stock, [Server, whereis(erl_prim_loader), self()]},
    %% As the stock runtime does: nobody replaces modules of these by accident.
    [stick(code:lib_dir(Application)) || Application <- [compiler, stdlib, kernel]],
    %% As the stock runtime begins.
    ok = erl_prim_loader:set_path(given(pa) ++ [filename:append(Directory, "ebin")
                                                || Directory <- [code:lib_dir(kernel), code:lib_dir(stdlib)],
                                                   is_list(Directory)] ++ given(pz)),
    opened(code_server),
    {ok, Server}.

given(Flag) ->
    case init:get_argument(Flag) of
        {ok, Lists} -> lists:append(Lists);
        error -> []
    end.

stick({error, bad_name}) -> ok;
stick(Directory) -> code:stick_dir(filename:append(Directory, "ebin")).

preload([Module | Modules]) ->
    _ = ensure_loaded(Module),
    preload(Modules);
preload([]) -> ok.
