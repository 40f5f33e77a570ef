%% \8 and \9 where there is no such group.
-module(re_digits).
-export([main/0]).
-include("../t.hrl").

main() ->
    [t({P, S}, fun() -> re:run(S, P) end)
     || {P, S} <- [{"\\8", "8"}, {"\\9", "9"}, {"a\\8b", "a8b"}, {"(a)\\8", "a8"}, {"[\\8]", "8"}, {"\\81", "81"},
                   {"\\81", "Q1"}, {"\\8\\9", "89"}, {"\\\\8", "\\8"}, {"\\18", [1, $8]}, {"\\800", "800"},
                   {"(a)(b)(c)(d)(e)(f)(g)(h)\\8", "abcdefghh"}, {"(a)(b)(c)(d)(e)(f)(g)(h)\\8\\9", "abcdefghh9"}]],
    [t({bad, P}, fun() -> re:compile(P) end) || P <- ["\\1", "(a)\\2", "\\g8", "(?P=x)"]].
