-module(bif_calendar).
-export([main/0]).
-include("c.hrl").

main() ->
    Times = [{{1970, 1, 1}, {0, 0, 0}}, {{1969, 12, 31}, {23, 59, 59}}, {{2024, 2, 29}, {12, 0, 0}}, {{2023, 2, 29}, {12, 0, 0}},
             {{2000, 2, 29}, {1, 2, 3}}, {{2023, 13, 1}, {0, 0, 0}}, {{2023, 0, 1}, {0, 0, 0}}, {{2023, 1, 32}, {0, 0, 0}},
             {{2023, 1, 1}, {24, 0, 0}}, {{2023, 1, 1}, {23, 60, 0}}, {{2023, 1, 1}, {23, 59, 60}}, {{2023, 1, 1}, {-1, 0, 0}}, {{1, 1, 1}, {0, 0, 0}},
             {{1583, 1, 1}, {0, 0, 0}}, {{1600, 1, 1}, {0, 0, 0}}, {{1599, 12, 31}, {0, 0, 0}}, {{1900, 1, 1}, {0, 0, 0}}, {{9999, 12, 31}, {23, 59, 59}},
             {{10000, 1, 1}, {0, 0, 0}}, {{2023, 6, 15}, {12, 30, 15}}, {{2023, 1, 15}, {12, 30, 15}}, {{2023, 3, 26}, {2, 30, 0}}, a, {a, b},
             {{2023, 10, 29}, {2, 30, 0}}, {{2023, 1}, {1, 1, 1}}, {{2023, 1, 1.0}, {1, 1, 1}}, {{2023, 1, 1}, {1, 1, 1}, 1}, {{1902, 1, 1}, {0, 0, 0}},
             {{2038, 1, 19}, {3, 14, 8}}, {{0, 1, 1}, {0, 0, 0}}, {{-1, 1, 1}, {0, 0, 0}}, {{1 bsl 70, 1, 1}, {0, 0, 0}}],
    [each(erlang, F, Times) || F <- [universaltime_to_posixtime, universaltime_to_localtime, localtime_to_universaltime]],
    pairs(erlang, localtime_to_universaltime, Times, [true, false, undefined, foo]),
    each(erlang, posixtime_to_universaltime, [0, -1, 1700000000, 1 bsl 31, 1 bsl 32, 1 bsl 40, 1 bsl 50, 253402300799, 253402300800, a, 1.0, 1 bsl 70,
                                              -11676096000, -11676096001] ++ [I * 86400 * 59 || I <- lists:seq(-300, 300, 7)]),
    {{Y, M, D}, {H, _, _}} = erlang:localtime(),
    io:format("~w~n", [[calendar:valid_date(Y, M, D), H < 24, tuple_size(date()), tuple_size(time()), tuple_size(erlang:universaltime())]]),
    Now = erlang:universaltime_to_posixtime(erlang:universaltime()),
    io:format("~w~n", [[abs(Now - erlang:system_time(second)) < 3, calendar:day_of_the_week(2024, 2, 29), calendar:iso_week_number({2024, 12, 30})]]).
