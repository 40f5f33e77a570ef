-module(bif_math).
-export([main/0]).
-include("c.hrl").

main() ->
    Values = [0, 1, -1, 0.0, -0.0, 0.5, -0.5, 1.5, 2, 10, 100, 1000, -1000, 1.0e-10, 1.0e10, 1.0e300, -1.0e308, 5.0e-324, 1 bsl 100, 1 bsl 2000, a, []],
    [each(math, F, Values) || F <- [acos, acosh, asin, asinh, atan, atanh, ceil, cos, cosh, erf, erfc, exp, floor, log, log10, log2, sin, sinh, sqrt, tan, tanh]],
    [pairs(math, F, Values, Values) || F <- [atan2, fmod, pow]],
    io:format("~w~n", [math:pi()]).
