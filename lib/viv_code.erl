%% Finds and loads modules until the stock code server is asked for, and starts that when it is.
%%
%% The process `viv_code` loads modules on demand for error_handler: from the directories of -pa, the current directory,
%% the OTP root and -pz. The first request to `code_server` starts the stock erl_prim_loader and code_server
%% (viv_relay). From then on error_handler goes through the stock code server too, so that paths added there count.
-module(viv_code).
-export([start/1, ensure_loaded/1, preload/1, load_binary/2, loaded/0, searched/0]).
-export([read_first/2, library_paths/1, fun_is_loaded/1]).

-record(state, {path, loaded = [], pending = #{}, stock = false}).

read_first(_Dirs, _File) -> erlang:nif_error(undef). % -> {ok, Path, Binary} | none
library_paths(_Root) -> erlang:nif_error(undef).  % -> [Dir]: ebin folders under an OTP root
fun_is_loaded(_Fun) -> erlang:nif_error(undef).

start(#{pa := Before, pz := After, root := Root}) ->
    Libraries = case Root of
                    undefined -> [];
                    _ -> library_paths(Root)
                end,
    Path = Before ++ ["."] ++ Libraries ++ After,
    Parent = self(),
    Loader = spawn(fun() ->
                           register(viv_code, self()),
                           Parent ! {self(), ready},
                           loop(#state{path = Path})
                   end),
    receive {Loader, ready} -> ok end,
    _ = viv_relay:start(code_server, fun prepare_stock/0, fun() -> start_stock(Loader) end),
    ok.

%% -> {module, Module} | {error, Reason}
ensure_loaded(Module) ->
    case erlang:module_loaded(Module) of
        true -> {module, Module};
        false -> load(Module)
    end.

load(Module) ->
    case request({load, Module}) of
        ask_stock -> code:ensure_loaded(Module);
        Result -> Result
    end.

%% -> {module, Module} | {error, Reason}
load_binary(Module, Code) ->
    request({load_binary, Module, Code}).

%% What has been loaded from files: [{Module, File}].
loaded() -> request(loaded).

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
        {on_load, Module, Keep} ->
            loop(on_load_done(Module, Keep, State));
        {stock, Pids} ->
            loop(State#state{stock = Pids});
        _ ->
            loop(State)
    end.

handle(loaded, Client, State) ->
    reply(Client, State#state.loaded),
    State;
handle(path, Client, State) ->
    reply(Client, State#state.path),
    State;
handle({load_binary, Module, Code}, Client, State) ->
    load_code(Module, "", Code, Client, State);
handle({load, Module}, {From, _} = Client, State = #state{pending = Pending, stock = Stock}) ->
    case Pending of
        #{Module := Clients} ->
            State#state{pending = Pending#{Module := [Client | Clients]}};
        #{} when is_list(Stock) ->
            %% The servers themselves must not wait for each other, nor any helper of theirs; the stock runtime has the
            %% modules that they all need from the start.
            case is_one_of(From, Stock) orelse is_one_of(Module, stock_preloaded()) of
                true -> load_new(Module, Client, State);
                false -> reply(Client, ask_stock), State
            end;
        #{} ->
            load_new(Module, Client, State)
    end.

%% erlang:pre_loaded() of the stock runtime, as far as the modules are of use here.
stock_preloaded() ->
    [atomics, counters, erl_prim_loader, erl_tracer, erlang, erts_internal, init, persistent_term, prim_buffer,
     prim_eval, prim_file, prim_zip, zlib].

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
    case erts_internal:prepare_loading(Module, Code) of
        {error, _} = Error ->
            reply(Client, Error),
            State;
        Prepared ->
            Now = State#state{loaded = [{Module, File} | Loaded]},
            case erlang:finish_loading([Prepared]) of
                ok ->
                    reply(Client, {module, Module}),
                    Now;
                {on_load, [Module]} ->
                    Self = self(),
                    spawn(fun() -> Self ! {on_load, Module, run_on_load(Module)} end),
                    Now#state{pending = Pending#{Module => [Client]}};
                {Reason, _} ->
                    reply(Client, {error, Reason}),
                    State
            end
    end.

%% As code(3) has it: the module stays only if the function returns ok.
run_on_load(Module) ->
    try erlang:call_on_load_function(Module) of
        Result -> Result
    catch
        _:Reason -> {'EXIT', Reason}
    end.

on_load_done(Module, Result, State = #state{pending = Pending, loaded = Loaded}) ->
    #{Module := Clients} = Pending,
    Keep = Result =:= ok,
    true = erlang:finish_after_on_load(Module, Keep),
    Answer = case Keep of
                 true -> {module, Module};
                 false -> {error, on_load_failure}
             end,
    reply_all(Clients, Answer),
    Left = case Keep of
               true -> Loaded;
               false -> without(Module, Loaded)
           end,
    State#state{pending = maps:remove(Module, Pending), loaded = Left}.

without(Module, [{Module, _} | T]) -> T;
without(Module, [H | T]) -> [H | without(Module, T)];
without(_, []) -> [].

reply_all([Client | Clients], Answer) ->
    reply(Client, Answer),
    reply_all(Clients, Answer);
reply_all([], _) -> ok.

reply({From, Ref}, Answer) -> From ! {Ref, Answer}.

%% What the stock servers call while they load something must be there already, or they would wait for each other: the
%% modules that the stock runtime has before it loads anything, and what the code server itself asks for.
prepare_stock() ->
    preload([erlang, erts_internal, init, prim_file, prim_buffer, prim_eval, prim_zip, zlib, erl_prim_loader,
             persistent_term, atomics, counters, code, code_server, beam_lib, binary, ets, filename, gb_sets,
             gb_trees, lists, os, unicode, erl_features]),
    {ok, _} = erl_prim_loader:start().

start_stock(Loader) ->
    {ok, Server} = code:start_link(),
    Loader ! {stock, [Server, whereis(erl_prim_loader), self()]},
    {ok, Server}.

preload([Module | Modules]) ->
    _ = ensure_loaded(Module),
    preload(Modules);
preload([]) -> ok.
