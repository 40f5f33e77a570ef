%% Modules made of text, to be loaded, replaced and purged.

%% A module with these functions: {Module, Beam}.
build(Module, Exports, Functions) ->
    Forms = [form("-module(" ++ atom_to_list(Module) ++ ").\n"), form("-export([" ++ Exports ++ "]).\n") |
             [form(F) || F <- Functions]],
    {ok, Module, Beam} = compile:forms(Forms, [binary]),
    {Module, Beam}.

form(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.

load({Module, Beam}) ->
    {module, Module} = code:load_binary(Module, "", Beam),
    ok.

%% Until it answers true: for what another process is about to do.
wait_until(F) ->
    case F() of
        true -> ok;
        false -> receive after 1 -> wait_until(F) end
    end.

waits(Pid) -> wait_until(fun() -> process_info(Pid, status) =:= {status, waiting} end).

%% Kills it and waits for its end.
finish(Pid) ->
    Ref = monitor(process, Pid),
    exit(Pid, kill),
    receive {'DOWN', Ref, process, Pid, Reason} -> Reason end.

show(Format, Arguments) -> io:format(Format ++ "~n", Arguments).
