%% Patterns of calls: what they become, and where they are wrong.
-module(viv_see_pattern_tests).
-include_lib("eunit/include/eunit.hrl").

right(Text) ->
    {ok, Pattern} = viv_see_pattern:parse(Text),
    Pattern.

wrong(Text) ->
    {error, {Column, Why}} = viv_see_pattern:parse(Text),
    {Column, binary_to_list(Why)}.

names_test_() ->
    Any = [{'_', []}],
    [?_assertEqual({m, f, 2, Any}, right("m:f/2")),
     ?_assertEqual({m, f, 0, Any}, right("m:f/0")),
     ?_assertEqual({m, f, '_', Any}, right("m:f")),
     ?_assertEqual({m, f, '_', Any}, right(" m : f / _ ")),
     ?_assertEqual({m, '_', '_', Any}, right("m:_")),
     ?_assertEqual({'Elixir.A.B', 'do!', 1, Any}, right("'Elixir.A.B':'do!'/1"))].

arguments_test_() ->
    [?_assertEqual({m, f, 0, [{[], []}]}, right("m:f()")),
     ?_assertEqual({m, f, 2, [{['$1', '$2'], []}]}, right("m:f(X, Y)")),
     ?_assertEqual({m, f, 3, [{['$1', '_', '$1'], []}]}, right("m:f(X, _, X)")),
     ?_assertEqual({m, f, 2, [{[{ok, '$1'}, [a, '$2' | '$3']], []}]}, right("m:f({ok, X}, [a, Y | Z])")),
     ?_assertEqual({m, f, 5, [{[-1, 1.5, "text", <<"bits">>, $c], []}]},
                   right("m:f(-1, 1.5, \"text\", <<\"bits\">>, $c)")),
     ?_assertEqual({m, f, 1, [{[{}], []}]}, right("m:f({})"))].

expressions_test_() ->
    [?_assertEqual({ok, {element, {const, 1}, '$2'}}, viv_see_pattern:expression("element(1, Y)", "m:f(X, {Y, X})")),
     ?_assertEqual({ok, '$1'}, viv_see_pattern:expression("N", "m:f(N) when N > 1; N < -1")),
     ?_assertEqual({error, {8, <<"Z is none of the arguments">>}}, viv_see_pattern:expression("{X, 1, Z}", "m:f(X)")),
     ?_assertEqual({error, {1, <<"X is none of the arguments">>}}, viv_see_pattern:expression("X", "m:f/1")),
     ?_assertEqual({error, {4, <<"one expression is enough">>}}, viv_see_pattern:expression("X, X", "m:f(X)")),
     ?_assertMatch({error, {1, _}}, viv_see_pattern:expression("", "m:f(X)")),
     ?_assertMatch({error, {1, <<"this cannot stand in a guard">>}},
                   viv_see_pattern:expression("fun() -> X end", "m:f(X)"))].

guards_test_() ->
    [?_assertEqual({m, f, 1, [{['$1'], [{'>', '$1', {const, 100}}]}]}, right("m:f(N) when N > 100")),
     ?_assertEqual({m, f, 1, [{['$1'], [{is_atom, '$1'}, {'=/=', '$1', {const, a}}]}]},
                   right("m:f(N) when is_atom(N), N =/= a")),
     ?_assertEqual({m, f, 1, [{['$1'], [{is_atom, '$1'}]}, {['$1'], [{is_list, '$1'}]}]},
                   right("m:f(N) when is_atom(N); is_list(N)")),
     ?_assertEqual({m, f, 1, [{['$1'], [{'==', {element, {const, 2}, '$1'}, {{{const, a}, '$1'}}}]}]},
                   right("m:f(N) when element(2, N) == {a, N}")),
     ?_assertEqual({m, f, 1, [{['$1'], [{'not', {'andalso', '$1', {'<', {self}, {const, "a"}}}}]}]},
                   right("m:f(N) when not (N andalso self() < \"a\")"))].

%% What it becomes says of calls what the function would say.
agreement_test_() ->
    [?_assertEqual({Text, Args, Expected}, {Text, Args, matches(Text, Args)})
     || {Text, Args, Expected} <- [{"m:f(N) when N > 100", [101], true}, {"m:f(N) when N > 100", [100], false},
                                   {"m:f(N) when hd(N) == a; N == b", [b], true},
                                   {"m:f(N) when hd(N) == a; N == b", [[a]], true},
                                   {"m:f(N) when hd(N) == a; N == b", [c], false},
                                   {"m:f({tin, X}, [X | _])", [{tin, 1}, [1, 2]], true},
                                   {"m:f({tin, X}, [X | _])", [{tin, 1}, [2]], false},
                                   {"m:f(\"abc\", '$a b')", ["abc", '$a b'], error},
                                   {"m:f(X) when X == '_'", ['_'], true},
                                   {"m:f(X) when X == '$1'", [x], false},
                                   {"m:f(X) when map_get(k, X) =:= {1, \"s\"}", [#{k => {1, "s"}}], true},
                                   {"m:f(X, Y) when X band 3 =:= Y", [7, 3], true}]].

matches(Text, Args) ->
    case viv_see_pattern:parse(Text) of
        {ok, {_, _, _, Clauses}} ->
            {ok, Result, _, _} = erlang:match_spec_test(Args, [{Head, Guard, []} || {Head, Guard} <- Clauses], trace),
            Result;
        {error, _} -> error
    end.

mistakes_test_() ->
    [?_assertEqual({1, "a pattern begins with the name of a module"}, wrong("")),
     ?_assertEqual({1, "a pattern begins with the name of a module"}, wrong("Mod:f")),
     ?_assertEqual({1, "the module has to be named"}, wrong("_:f")),
     ?_assertEqual({2, "a module's name is followed by `:`"}, wrong("m")),
     ?_assertEqual({3, "here stands the name of a function, or `_` for all"}, wrong("m:")),
     ?_assertEqual({4, "nothing comes behind `_`, all functions"}, wrong("m:_/2")),
     ?_assertEqual({5, "here stands an arity, 0 to 255"}, wrong("m:f/256")),
     ?_assertEqual({7, "nothing comes behind the arity"}, wrong("m:f/2 when true")),
     ?_assertEqual({5, "here stand arguments in parentheses, or an arity: /2"}, wrong("m:f x")),
     ?_assertEqual({8, "syntax error before: Y"}, wrong("m:f( X Y)")),
     ?_assertEqual({17, "Y is none of the arguments"}, wrong("m:f(X) when X > Y")),
     ?_assertEqual({13, "foo/1 cannot stand in a guard"}, wrong("m:f(X) when foo(X)")),
     ?_assertEqual({13, "`_` has no value"}, wrong("m:f(_) when _ == 1")),
     ?_assertEqual({5, "maps cannot be matched here: ask for parts in a guard"}, wrong("m:f(#{a => 1})")),
     ?_assertEqual({7, "this cannot be matched: variables, literals, lists and tuples can"}, wrong("m:f(X + 1)")),
     ?_assertMatch({5, "'$1' cannot be matched" ++ _}, wrong("m:f('$1')")),
     ?_assertMatch({5, "unterminated" ++ _}, wrong("m:f(\"x")),
     ?_assertEqual({12, "it ends too early"}, wrong("m:f(X) when")),
     ?_assertEqual({6, "it ends too early"}, wrong("m:f(X")),
     ?_assertEqual({5, "it ends too early"}, wrong("m:f(")),
     ?_assertEqual({error, {5, <<"it ends too early">>}}, viv_see_pattern:expression("foo(", "m:f(X)")),
     ?_assertEqual({8, "beside a pattern only a new variable can stand"}, wrong("m:f(A, A = {x, _})")),
     ?_assertEqual({9, "A is in its own pattern"}, wrong("m:f(A = {x, A})"))].

%% A name of a whole stands for what is built of its parts.
aliases_test_() ->
    [?_assertEqual({Text, Args, Expected}, {Text, Args, matches(Text, Args)})
     || {Text, Args, Expected} <- [{"m:f(A = {x, _})", [{x, 1}], true}, {"m:f(A = {x, _})", [{y, 1}], false},
                                   {"m:f(_ = {x, 1})", [{x, 1}], true}, {"m:f({x, 1} = _)", [{x, 2}], false},
                                   {"m:f(A = {x, _}) when A == {x, 2}", [{x, 2}], true},
                                   {"m:f({x, _} = A) when A == {x, 2}", [{x, 3}], false},
                                   {"m:f(A = [_, {B, _} | _]) when A =:= [1, {2, 3}, \"s\"], B == 2",
                                    [[1, {2, 3}, "s"]], true},
                                   {"m:f(A = {_, _}, A)", [{1, 2}, {1, 2}], true},
                                   {"m:f(A = {_, _}, A)", [{1, 2}, {1, 3}], false},
                                   {"m:f({A = {_}, B = []}) when element(1, A) == B", [{{[]}, []}], true},
                                   {"m:f(A = {_, \"s\"}) when tl(element(2, A)) == []", [{1, "s"}], true}]] ++
        [?_assertEqual({ok, {element, {const, 2}, {{{const, x}, '$1'}}}},
                       viv_see_pattern:expression("element(2, A)", "m:f(A = {x, _})"))].

%% What the runtime refuses, and nothing else, is refused with a mark.
guard_functions_test_() ->
    [?_assertEqual({Name, Arity, is_taken(Name, Arity)}, {Name, Arity, is_told(Name, Arity)})
     || {Name, Arity} <- lists:sort(erlang:module_info(exports)), erl_internal:guard_bif(Name, Arity)].

is_taken(Name, Arity) ->
    Test = list_to_tuple([Name | lists:duplicate(Arity, '$1')]),
    element(1, erlang:match_spec_test([1], [{['$1'], [Test], []}], trace)) =:= ok.

is_told(Name, Arity) ->
    Call = lists:flatten(io_lib:format("~tw(~ts)", [Name, lists:join(", ", lists:duplicate(Arity, "X"))])),
    case viv_see_pattern:parse("m:f(X) when " ++ Call) of
        {ok, _} -> true;
        {error, {13, _}} -> false
    end.

marks_test() ->
    {error, Mistake} = viv_see_pattern:parse("m:f(X) when Y"),
    ?assertEqual(<<"m:f(X) when Y\n            ^ Y is none of the arguments">>,
                 iolist_to_binary(viv_see_pattern:show("m:f(X) when Y", Mistake))).

%% A beginning of a pattern, or one with a character taken away or doubled, is a pattern or a mistake in its place.
mutilated_test() ->
    Whole = "shop:quote({ok, Item}, [1 | N]) when N > 100, is_atom(Item); hd(N) == \"x\"",
    Texts = [lists:sublist(Whole, Until) ++ lists:nthtail(From, Whole)
             || Until <- lists:seq(1, length(Whole)),
                From <- [Until - 1, min(Until + 1, length(Whole)), length(Whole)]],
    [case viv_see_pattern:parse(Text) of
         {ok, {shop, _, _, [_ | _]}} -> ok;
         {ok, {_, _, _, [_ | _]}} -> ok;
         {error, {Column, <<_, _/binary>>}} when Column >= 1, Column =< length(Text) + 1 -> ok
     end || Text <- Texts].
