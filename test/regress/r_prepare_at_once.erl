%% Large modules that are prepared by many at once, more than have a turn: some who wait, or work, are killed, suspended
%% and resumed meanwhile. Nobody is forgotten, and turns come back.
-module(r_prepare_at_once).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    Beam = beam(),
    io:format("large: ~w~n", [byte_size(Beam) > 16384]),
    [io:format("round ~w: ~w~n", [N, round_of(Beam)]) || N <- [1, 2, 3]],
    io:format("bad: ~w~n", [lists:usort(answers([spawner(fun() -> prepare(cut(Beam)) end) || _ <- lists:seq(1, 20)]))]),
    Low = [spawner(fun() -> process_flag(priority, low), prepare(Beam) end) || _ <- lists:seq(1, 10)],
    High = [spawner(fun() -> process_flag(priority, high), prepare(Beam) end) || _ <- lists:seq(1, 10)],
    io:format("priorities: ~w~n", [lists:usort(answers(Low ++ High))]).

beam() ->
    Clauses = [{clause, 1, [{integer, 1, N}], [], [{tuple, 1, [{integer, 1, N * N}, {string, 1, integer_to_list(N)}]}]} ||
                  N <- lists:seq(1, 1500)],
    {ok, prepared, Beam} = compile:forms([{attribute, 1, module, prepared}, {attribute, 1, export, [{f, 1}]},
                                          {function, 1, f, 1, Clauses}], [binary]),
    Beam.

cut(Beam) -> <<(binary:part(Beam, 0, byte_size(Beam) div 2))/binary, 0:(8 * (byte_size(Beam) div 2))>>.

prepare(Beam) ->
    case erts_internal:prepare_loading(prepared, Beam) of
        {error, Reason} -> Reason;
        Reference when is_reference(Reference) -> prepared
    end.

spawner(What) ->
    Parent = self(),
    spawn_monitor(fun() -> Parent ! {self(), What()} end).

%% Of those that have one; the others are killed.
answers(Pids) ->
    [receive
         {Pid, Answer} -> receive {'DOWN', Ref, process, Pid, _} -> Answer end; % it may be killed, having answered
         {'DOWN', Ref, process, Pid, killed} -> killed
     end || {Pid, Ref} <- Pids].

round_of(Beam) ->
    Pids = [spawner(fun() -> prepare(Beam) end) || _ <- lists:seq(1, 40)],
    Numbered = lists:zip(lists:seq(1, 40), Pids),
    [exit(Pid, kill) || {N, {Pid, _}} <- Numbered, N rem 4 =:= 0],
    Suspended = [Pid || {N, {Pid, _}} <- Numbered, N rem 4 =:= 1, suspends(Pid)],
    _ = [erlang:resume_process(Pid) || Pid <- Suspended, is_process_alive(Pid)],
    Answers = answers(Pids),
    {length(Answers), lists:usort(Answers -- [killed || _ <- Pids])}.

suspends(Pid) -> try erlang:suspend_process(Pid) catch error:badarg -> false end.
