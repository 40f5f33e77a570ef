%% The way by which others see into this runtime: natives of the local door (src/see/door.h), who is asked in, and the
%% same for who comes by distribution. What is said there is in lib/see, which a node loads when somebody comes first.
%%
%% A link is either end of a connection, a magic reference: its descriptor is closed when nobody has it any more.
-module(viv_see).
-export([knocked/1, come/1]).
-export([admit/1, connect/1, read/1, write/2, end_link/1, door/0, folders/0, interrupts/0, terminal/0]).
-export([sampler/1, samples/1, end_sampler/1]).
-export([binaries/1, ask_binaries/3, table_binaries/2, persistent_binaries/0]).

-define(START, 5000). % milliseconds for which a node that starts lets wait who knocks

admit(_Knock) -> erlang:nif_error(undef). % {ok, Link} | {error, Reason} | later
connect(_Path) -> erlang:nif_error(undef). % {ok, Link} | {error, Reason}
read(_Link) -> erlang:nif_error(undef). % {ok, Binary} | eof | {error, Reason} | later; waits, but for `later`
write(_Link, _Binary) -> erlang:nif_error(undef). % {ok, BytesTaken} | {error, Reason}; does not wait
end_link(_Link) -> erlang:nif_error(undef). % ok; both sides see the end
door() -> erlang:nif_error(undef). % the path of this runtime's socket, or undefined
folders() -> erlang:nif_error(undef). % where sockets of this user may be
sampler(_Rate) -> erlang:nif_error(undef). % {ok, Sampler} | {error, Reason}: so many times a second, 1000 at most
samples(_Sampler) -> erlang:nif_error(undef). % {Lost, [{Weight, {PidOrPort, Thread, What, Frames}}]}, new ones
end_sampler(_Sampler) -> erlang:nif_error(undef). % ok; so it is when nobody has Sampler any more
%% Who holds large binaries. Share: {Bytes, References, Largest}; src/bif/system/held_binaries.c.
binaries(_Pid) -> erlang:nif_error(undef). % Share | undefined
ask_binaries(_Pid, _Id, _Rows) -> erlang:nif_error(undef). % Answer | undefined | asked: {binaries, Id, Answer} comes
table_binaries(_Tid, _Position) -> erlang:nif_error(undef). % {Position | done, Share} | undefined; at first: start
persistent_binaries() -> erlang:nif_error(undef). % Share
interrupts() -> erlang:nif_error(undef). % a descriptor that is ready once ^C was pressed, or false

terminal() -> erlang:nif_error(undef). % {Rows, Columns} of standard output, or false

%% A process that the door has made. There is one at a time until it has asked him in, so one alone loads the modules.
knocked(Knock) ->
    process_flag(sensitive, true), % what we do for those who look is not seen by them
    case has_started(?START) of
        true -> load(), admit_all(Knock, fun(Link) -> viv_see_server:serve({link, Link}) end);
        false -> admit_all(Knock, fun turn_away/1)
    end.

admit_all(Knock, Serve) ->
    case admit(Knock) of
        {ok, Link} -> Serve(Link);
        {error, _} -> gone;
        later ->
            receive after 500 -> admit_all(Knock, Serve) end
    end.

%% Until there is a code server, who calls what is not loaded has init load it. That may ask itself for what it needs to
%% do so (erl_features, of OTP 25 on), and waits for its own answer for ever. So nothing is called here before.
has_started(Patience) ->
    case whereis(code_server) =/= undefined orelse whereis(viv_code) =/= undefined of
        false when Patience > 0 ->
            receive after 20 -> has_started(Patience - 20) end;
        Started -> Started
    end.

%% An answer as in viv_see_server, which is not loaded; of no version.
turn_away(Link) ->
    Text = <<"the node is still starting: it has no code server yet, without which it can serve nobody">>,
    Answer = term_to_binary({viv_see, none, {error, Text}}),
    _ = write(Link, <<(byte_size(Answer)):32, Answer/binary>>),
    end_link(Link).

%% By a process of Client's node, which asks by erpc. -> the process that serves Client, as it would at the door.
come(Client) when is_pid(Client) ->
    Caller = self(),
    {Pid, Ref} = spawn_monitor(fun() ->
                                       process_flag(sensitive, true),
                                       load(),
                                       Caller ! {self(), loaded},
                                       viv_see_server:serve(viv_see_link:far(Client))
                               end),
    receive
        {Pid, loaded} -> erlang:demonitor(Ref, [flush]), Pid;
        {'DOWN', Ref, _, _, Reason} -> exit(Reason)
    end.

%% In a node nobody asks viv_code, and the stock code server knows nothing of what is held here. Two that load a module
%% at once make the one's code old, which is the same, and both go on.
load() ->
    Load = case whereis(viv_code) of
               undefined -> fun(Module) -> erlang:load_module(Module, viv_code:held(Module)) end;
               _ -> fun viv_code:ensure_loaded/1
           end,
    load(Load, served()).

load(Load, [Module | Modules]) ->
    _ = erlang:module_loaded(Module) orelse Load(Module),
    load(Load, Modules);
load(_, []) -> ok.

%% What a node needs of lib/see.
served() -> [viv_see_link, viv_see_frame, viv_see_server, viv_see_trace, viv_see_count, viv_see_sum, viv_see_top,
             viv_see_sample, viv_see_watch, viv_see_who, viv_see_binaries, viv_see_pace, viv_see_names,
             viv_see_record, viv_recorder].
