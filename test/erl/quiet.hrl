%% quiet/0: until nobody else runs or is about to, as far as one can see. So what was set off has come to its end, however
%% busy the machine is. Not for ever: somebody may run all the time.
-compile({nowarn_unused_function, [quiet/0, quiet/2]}).

quiet() -> quiet(3, 300).

quiet(Times, Tries) when Times =:= 0; Tries =:= 0 -> ok;
quiet(Times, Tries) ->
    case erlang:statistics(total_active_tasks_all) of
        Active when Active =< 1 -> erlang:yield(), quiet(Times - 1, Tries);
        _ -> receive after 1 -> ok end, quiet(3, Tries - 1)
    end.
