%% What the engine calls when a function or the code of a fun is not there: loads the module and calls again, or raises
%% undef at the place of the call. The name and the functions are those of error_handler(3), so that
%% process_flag(error_handler, _) and stock tools work; this one needs no library.
-module(error_handler).
-export([undefined_function/3, undefined_lambda/3, stub_function/3, breakpoint/3, raise_undef_exception/3]).

undefined_function(logger, allow, [Level, Module]) when Level =:= info; Level =:= debug ->
    %% Asked for each progress report. As long as `logger` is not loaded, nobody has asked it to log such.
    case erlang:module_loaded(logger) of
        false -> false;
        true -> logger:allow(Level, Module)
    end;
undefined_function(Module, Function, Args) ->
    case viv_code:ensure_loaded(Module) of
        {stand_in, Other} ->
            apply(Other, Function, Args);
        _ ->
            case erlang:function_exported(Module, Function, length(Args)) of
                true -> apply(Module, Function, Args);
                false -> last_resort(Module, Function, Args)
            end
    end.

last_resort(Module, Function, Args) ->
    case erlang:function_exported(Module, '$handle_undefined_function', 2) of
        true -> Module:'$handle_undefined_function'(Function, Args);
        false -> undef(Module, Function, Args)
    end.

undefined_lambda(Module, Fun, Args) ->
    case viv_code:ensure_loaded(Module) of
        {module, Module} ->
            %% Another version of the module would bring us here again and again.
            case viv_code:fun_is_loaded(Fun) of
                true -> apply(Fun, Args);
                false -> badfun(Fun, Args)
            end;
        _ ->
            badfun(Fun, Args)
    end.

badfun(Fun, Args) ->
    crash({Fun, Args, []}).

stub_function(Module, Function, Args) ->
    exit({undef, [{Module, Function, Args, []}]}).

breakpoint(Module, Function, Args) ->
    (int()):eval(Module, Function, Args).

int() -> int.

raise_undef_exception(Module, Function, Args) ->
    undef(Module, Function, Args).

undef(Module, Function, Args) ->
    crash({Module, Function, Args, []}).

%% Who traces returns is told its name.
crash(Top) ->
    try
        erlang:error(undef)
    catch
        error:undef:Stack -> erlang:raise(error, undef, [Top | callers(Stack)])
    end.

%% Without the frames of this module.
callers([{?MODULE, _, _, _} | Stack]) -> callers(Stack);
callers(Stack) -> Stack.
