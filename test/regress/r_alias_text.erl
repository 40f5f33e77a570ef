%% An alias is found again by its text, and messages reach who made it.
-module(r_alias_text).
-export([main/0]).

main() ->
    [io:format("~p: ~p~n", [Options, again(Options)]) || Options <- [[], [reply], [explicit_unalias]]],
    {_, Monitor} = spawn_opt(fun() -> ok end, [{monitor, [{alias, demonitor}]}]),
    io:format("of a monitor: ~p~n", [list_to_ref(ref_to_list(Monitor)) =:= Monitor]),
    [io:format("~p: ~p~n", [Text, catch refused(Text)]) || Text <- texts()].

again(Options) ->
    Alias = alias(Options),
    Again = list_to_ref(ref_to_list(Alias)),
    Again ! {to, me},
    {Again =:= Alias, Again == Alias, Again < Alias, erlang:phash2(Again) =:= erlang:phash2(Alias),
     receive {to, me} -> heard after 60000 -> nothing end, unalias(Again)}.

refused(Text) ->
    try list_to_ref(Text) of R -> R catch error:badarg -> badarg end.

texts() ->
    ["#Ref<0.1.2>", "#Ref<0.1>", "#Ref<0>", "#Ref<>", "#Ref<0.1.2.3.4>", "#Ref<0.1.2.3.4.5.6>", "#Ref<0.1.2.262144>",
     "#Ref<0.4294967296.1.1>", "#Ref<0.1.4294967296.1>", "#Ref<0.1.1.1", "#Ref<0.1.1.1>x", "#Ref<0..1.1>"].
