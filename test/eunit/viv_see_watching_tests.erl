%% What viv watch makes of two looks at a node.
-module(viv_see_watching_tests).
-include_lib("eunit/include/eunit.hrl").

look(Time, Up, Count) ->
    #{time => Time, up => Up, memory => [{total, 1}], schedulers => [], online => 1, run_queue => 0, processes => 0,
      ports => 0, tables => 0, atoms => 0, cpu_ms => Count, reductions => Count, switches => Count,
      collections => Count, reclaimed => Count, input => Count, output => Count, turns => 2, waited_us => 3,
      longest_us => 2}.

%% Whatever the time of day is set to meanwhile.
rates_test_() ->
    [?_assertMatch(#{time := Time, rates := #{reductions := 500.0, input := 500.0},
                     totals := #{reductions := 1000, cpu_ms := 1000}, wait := #{mean_us := 1.5}},
                   viv_see_watching:point(look(100000, 1000, 0), look(Time, 3000, 1000)))
     || Time <- [102000, 100000, 5, 100001, 900000]].
