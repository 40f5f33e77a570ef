%% TARGETs that are none.
-module(viv_see_target_tests).
-include_lib("eunit/include/eunit.hrl").

wrong_test_() ->
    [?_assertEqual({see, unicode:characters_to_binary([Target, " is neither the process number of a node on this "
                                                              "machine nor NAME@HOST"])},
                   try viv_see_target:open(Target, node)
                   catch throw:Thrown -> Thrown
                   end)
     || Target <- ["", "x", "@", "a@", "@a", "1x", "123456789012", "a@" ++ lists:duplicate(254, $b),
                   lists:duplicate(300, 228) ++ "@b"]].
