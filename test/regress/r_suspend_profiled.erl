%% To who profiles the system a process that is suspended is inactive, and active when it goes on: it stayed active.
-module(r_suspend_profiled).
-export([main/0]).

main() ->
    erlang:system_profile(self(), [runnable_procs]),
    [io:format("~p: ~p~n", [Name, changes(spawn(Fun))]) || {Name, Fun} <- programs()].

programs() -> [{polls, fun polls/0}, {computes, fun computes/0}, {asks_itself, fun asks_itself/0}].

polls() -> receive never -> ok after 0 -> polls() end.
computes() -> lists:sum(lists:seq(1, 100)), computes().
asks_itself() -> {links, []} = process_info(self(), links), asks_itself().

changes(P) ->
    told(P, active),
    Changes = [begin
                   erlang:suspend_process(P),
                   Suspended = told(P, inactive),
                   erlang:resume_process(P),
                   {Suspended, told(P, active)}
               end || _ <- lists:seq(1, 20)],
    exit(P, kill),
    {told(P, inactive), lists:usort(Changes)}.

%% Of those it waits for the next; the others come before.
told(P, What) ->
    receive {profile, P, Is, _, _} -> Is =:= What orelse {Is, 'not', What} after 30000 -> exit({never, What}) end.
