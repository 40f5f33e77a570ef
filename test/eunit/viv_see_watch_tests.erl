%% The probe of viv watch.
-module(viv_see_watch_tests).
-include_lib("eunit/include/eunit.hrl").

%% An answer that comes too late is not taken for that to the next question, and does not stay.
late_test() ->
    Self = self(),
    Probe = spawn_link(fun() ->
                               receive {tell, First} -> Self ! {asked, First} end,
                               receive go -> First ! {First, {1, 1, 1}} end,
                               receive {tell, Second} -> Second ! {Second, {2, 2, 2}} end
                       end),
    ?assertEqual({0, 0, 0}, viv_see_watch:waits(Probe, 0)),
    receive {asked, _} -> ok end,
    Probe ! go,
    ?assertEqual({2, 2, 2}, viv_see_watch:waits(Probe, 60000)),
    ?assertEqual({messages, []}, process_info(self(), messages)).
