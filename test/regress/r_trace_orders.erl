%% Orders to all processes whose tracers are modules with different states stayed in the session's log for ever. What all
%% have taken up goes now; and everybody has the flags that he would have had, sleepers, the suspended, and those that
%% are told by others' match programs.
-module(r_trace_orders).
-export([main/0, enabled/3, trace/5, f/1]).
-nifs([enabled/3, trace/5]).
-include("../erl/deep.hrl").

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), "r_trace_orders"), 0),
    Sleepers = [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 30)],
    Suspended = spawn(fun() -> receive stop -> ok end end),
    erlang:suspend_process(Suspended),
    Busy = spawn(fun busy/0),
    all([Busy, Suspended | Sleepers]),
    memory(),
    all([Busy, Suspended | Sleepers]),
    asked(Busy, Sleepers),
    children().

times(Deep) -> deep(Deep div 3, Deep).

state(N) -> {state, N, lists:duplicate(20, N)}.

%% Flags that were set stay through many orders of other tracers.
all([One | _] = Processes) ->
    switch(existing, true, [send, procs], 0),
    [begin switch(existing, true, ['receive'], N), switch(existing, false, ['receive', send], N) end || N <- lists:seq(1, times(300))],
    io:format("~p~n", [lists:usort([traced(P) || P <- Processes])]),
    switch(existing, false, [procs], 0),
    io:format("~p~n", [lists:usort([traced(P) || P <- Processes])]),
    [begin switch(existing, true, [garbage_collection], N), switch(existing, true, [ports], N), switch(existing, false, [all], N) end || N <- lists:seq(1, times(200))],
    io:format("~p~n", [lists:usort([traced(P) || P <- Processes])]),
    switch(existing, false, [all], 0),
    io:format("~p~n", [traced(One)]),
    switch(all, false, [all], none).

switch(Whom, On, Flags, none) -> erlang:trace(Whom, On, Flags), ok;
switch(Whom, On, Flags, N) -> erlang:trace(Whom, On, [{tracer, ?MODULE, state(N)} | Flags]), ok.

traced(P) ->
    {flags, Flags} = erlang:trace_info(P, flags),
    {tracer, Tracer} = erlang:trace_info(P, tracer),
    {lists:sort(Flags), Tracer}.

%% Some 80 kilobytes for each order.
memory() ->
    garbage_collect(),
    Before = erlang:memory(total),
    [begin
         Tracer = {tracer, ?MODULE, {N, lists:duplicate(5000, N)}},
         erlang:trace(existing, true, [send, Tracer]),
         erlang:trace(existing, false, [send, Tracer])
     end || N <- lists:seq(1, 400)],
    garbage_collect(),
    io:format("bounded: ~p~n", [least_growth(Before, 1200) < 25000000]).

least_growth(Before, Tries) ->
    case erlang:memory(total) - Before of
        Much when Much > 25000000, Tries > 0 -> timer:sleep(50), least_growth(Before, Tries - 1);
        Growth -> Growth
    end.

%% One sets flags of others by a match program while orders to all go on; what was told to all last counts.
asked(Busy, Sleepers) ->
    Names = [list_to_atom("sleeper" ++ integer_to_list(N)) || N <- lists:seq(1, length(Sleepers))],
    [register(Name, P) || {Name, P} <- lists:zip(Names, Sleepers)],
    Spec = [{[Name], [], [{trace, Name, [], [send]}]} || Name <- Names],
    1 = erlang:trace_pattern({?MODULE, f, 1}, Spec, [local]),
    {Caller, Ref} = spawn_monitor(fun() -> receive go -> ok end, [f(Name) || _ <- lists:seq(1, 20), Name <- Names] end),
    erlang:trace(Caller, true, [call, {tracer, ?MODULE, state(0)}]),
    Caller ! go,
    [switch(existing, true, ['receive'], N) || N <- lists:seq(1, times(150))],
    receive {'DOWN', Ref, process, Caller, normal} -> ok end,
    [switch(existing, false, ['receive', send, procs], N) || N <- lists:seq(0, times(150))],
    erlang:trace_pattern({?MODULE, f, 1}, false, [local]),
    io:format("~p~n", [lists:usort([traced(P) || P <- [Busy | Sleepers]])]),
    switch(all, false, [all], none),
    [exit(P, kill) || P <- [Busy | Sleepers]].

f(Name) -> Name.

%% They begin with what their parent has seen.
children() ->
    Self = self(),
    Parents = [spawn(fun() -> parent(Self, 200) end) || _ <- lists:seq(1, 3)],
    [switch(existing, true, [garbage_collection, {tracer, ?MODULE, state(N)}], none) || N <- lists:seq(1, times(400))],
    switch(existing, true, [procs], last),
    Children = lists:append([receive {P, L} -> L end || P <- Parents]),
    switch(existing, false, [garbage_collection], none),
    io:format("~p~n", [lists:usort([element(1, traced(C)) -- [procs] || C <- Children])]),
    switch(all, false, [all], none),
    io:format("~p~n", [lists:usort([traced(C) || C <- Children])]),
    [exit(C, kill) || C <- Children],
    ok.

parent(To, N) -> To ! {self(), [begin erlang:yield(), spawn(fun() -> receive stop -> ok end end) end || _ <- lists:seq(1, N)]}.

busy() -> lists:seq(1, 100), busy().

enabled(_, _, _) -> erlang:nif_error(not_loaded).
trace(_, _, _, _, _) -> erlang:nif_error(not_loaded).
