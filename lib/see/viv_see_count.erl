%% viv trace --count, in the node: how often functions are called, counted in their breakpoints. No event is sent.
%%
%%   {counts, Milliseconds, [{{M, F, A}, Calls}]}    of those that were called, once, at the end
%%   {'end', Why, Figures}                           time | stopped, or {error, Text}
-module(viv_see_count).
-export([run/2]).

run(#{patterns := Patterns, time := Time}, Link) ->
    try begin_session(Patterns) of
        {Session, Functions} ->
            Start = erlang:monotonic_time(millisecond),
            Why = receive stop -> stopped after Time -> time end,
            Took = erlang:monotonic_time(millisecond) - Start,
            Counts = [{Function, Calls} || Function <- Functions,
                                           Calls <- [viv_see_trace:info(Session, Function, call_count)],
                                           is_integer(Calls), Calls > 0],
            true = trace:session_destroy(Session),
            _ = viv_see_link:tell(Link, {counts, Took, Counts}),
            _ = viv_see_link:tell(Link, {'end', Why, #{told => length(Counts), dropped => 0, paused => 0}})
    catch
        throw:{error, Text} -> viv_see_link:tell(Link, {'end', {error, Text}, #{}})
    end.

begin_session(Patterns) ->
    Session = trace:session_create(viv_see, self(), [{reload, keep}]),
    Set = [viv_see_trace:set_pattern(Session, Pattern, fun(_) -> true end, [call_count]) || Pattern <- Patterns],
    {Session, lists:usort(lists:append([viv_see_trace:named(Functions) || Functions <- Set]))}.
