%% What the soaks of tracing share: a module that is replaced again and again, and the check of what was told of it.
%%
%% Each version of trace_soak_m has a number of its own, which f/2 returns. A call may go untold only when its process
%% was scheduled out on its way into code that was then replaced: the version that it ran was over, so the call after
%% it ran a later one. Every other call that must be told is told.
-module(trace_soaked).
-export([load/0, loader/1, stop/1, untold/2]).
-export([tracer/0, taken/3]).
-define(M, trace_soak_m).
-define(FIRST, 16#01000000).
-define(MARK, 16#01FEDCBA).

%% --- the module ------------------------------------------------------------------------------------------------------

%% f(Tag, I) -> {g(I), Tag, Version}.
template() ->
    Forms = [{attribute, 1, module, ?M}, {attribute, 1, export, [{f, 2}, {version, 0}]},
             {function, 1, version, 0, [{clause, 1, [], [], [{integer, 1, ?MARK}]}]},
             {function, 1, f, 2, [{clause, 1, [{var, 1, 'Tag'}, {var, 1, 'N'}], [],
                                   [{tuple, 1, [{call, 1, {atom, 1, g}, [{var, 1, 'N'}]}, {var, 1, 'Tag'},
                                                {integer, 1, ?MARK}]}]}]},
             {function, 1, g, 1, [{clause, 1, [{var, 1, 'N'}], [], [{var, 1, 'N'}]}]}],
    {ok, ?M, Code} = compile:forms(Forms, []),
    Code.

%% The template with the number in the place of the mark; false while a process stands in old code.
load(Template, Version) ->
    code:soft_purge(?M) andalso
        begin
            Code = binary:replace(Template, <<?MARK:32>>, <<(?FIRST + Version):32>>, [global]),
            {module, ?M} = code:load_binary(?M, "", Code),
            true
        end.

%% The first version; what loader/1 goes on from.
load() ->
    Template = template(),
    true = load(Template, 0),
    Template.

%% A process that replaces the module every few milliseconds, until stop/1, which returns how many versions there were.
loader(Template) -> spawn_link(fun() -> loader(Template, 1) end).

loader(Template, Version) ->
    Next = case load(Template, Version) of true -> Version + 1; false -> Version end,
    receive {stop, From} -> From ! {self(), Next} after 3 -> loader(Template, Next) end.

stop(Pid) -> Pid ! {stop, self()}, receive {Pid, Result} -> Result end.

%% Those of Missing that should have been told. Versions: of the calls 1, 2, ...; of one more than those that count.
untold(Missing, Versions) -> [I || I <- Missing, element(I, Versions) =:= element(I + 1, Versions)].

%% --- tracers ---------------------------------------------------------------------------------------------------------

%% A tracer gathers, and hands out what it has once all that Pid has caused is there.
tracer() -> spawn_link(fun() -> tracer([]) end).

tracer(Told) ->
    receive
        {take, From, Session, Pid} ->
            Ref = trace:delivered(Session, Pid),
            All = delivered(Pid, Ref, Told),
            From ! {self(), lists:reverse(All)},
            tracer([]);
        M when element(1, M) =:= trace; element(1, M) =:= trace_ts -> tracer([M | Told])
    end.

delivered(Pid, Ref, Told) ->
    receive
        {trace_delivered, Pid, Ref} -> Told;
        M when element(1, M) =:= trace; element(1, M) =:= trace_ts -> delivered(Pid, Ref, [M | Told])
    end.

taken(Session, Tracer, Pid) ->
    Tracer ! {take, self(), Session, Pid},
    receive {Tracer, Told} -> Told end.
