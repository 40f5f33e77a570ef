%% The process `erts_code_purger`, as the stock module of that name talks to it. Old code is let go of, so that newer
%% code can be loaded, but its memory is not taken back and nobody who still runs it is stopped.
-module(viv_purger).
-export([start/0]).
-export([drop_old/1]).

drop_old(_Module) -> erlang:nif_error(undef). % -> was there old code?

start() ->
    Parent = self(),
    Pid = spawn(fun() ->
                        register(erts_code_purger, self()),
                        Parent ! {self(), ready},
                        loop()
                end),
    receive {Pid, ready} -> Pid end.

loop() ->
    receive
        {purge, Module, From, Ref} when is_atom(Module), is_pid(From) ->
            From ! {reply, purge, {drop_old(Module), false}, Ref};
        {soft_purge, Module, From, Ref} when is_atom(Module), is_pid(From) ->
            _ = drop_old(Module),
            From ! {reply, soft_purge, true, Ref};
        {finish_after_on_load, {Module, Keep}, From, Ref} ->
            Result = erlang:finish_after_on_load(Module, Keep),
            From ! {reply, finish_after_on_load, Result, Ref};
        _ ->
            ok
    end,
    loop().
