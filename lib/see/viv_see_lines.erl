%% viv trace as lines: text, an object of JSON in each, or callers and how often they called.
-module(viv_see_lines).
-export([open/3, names/2, events/2, dropped/4, close/1, write/2, lost_name/1, lost_text/2]).

-record(lines, {form, file, node, folded = #{}}).

-spec open(text | json | folded | timeline, undefined | file:name_all(), node()) -> #lines{}.
open(Form, File, Node) -> #lines{form = Form, file = viv_see_out:open(File), node = Node}.

-spec write(unicode:chardata(), #lines{}) -> #lines{}.
write(Text, L = #lines{file = File}) ->
    viv_see_out:write(File, unicode:characters_to_binary(Text)),
    L.

names(_, L) -> L.

events(Events, L = #lines{form = text, node = Node}) -> write([viv_see_event:line(Event, Node) || Event <- Events], L);
events(Events, L = #lines{form = json, node = Node}) ->
    write([[viv_json:encode(viv_see_event:object(Event, Node)), $\n] || Event <- Events], L);
events(Events, L = #lines{folded = Folded}) -> L#lines{folded = lists:foldl(fun fold/2, Folded, Events)}.

fold(#{kind := call, parts := [Function, Caller]}, Folded) ->
    Stack = [unicode:characters_to_binary(Name) || Name <- [viv_see_event:caller(Caller), viv_see_text:mfa(Function)]],
    Folded#{Stack => maps:get(Stack, Folded, 0) + 1};
fold(_, Folded) -> Folded.

dropped(Events, _, Of, L = #lines{form = text}) -> write(["... ", lost_text(Events, Of), $\n], L);
dropped(Events, Whys, Of, L = #lines{form = json}) ->
    Parts = maps:from_list([{lost_name(What), Count} || {What, Count} <- Of]),
    write([viv_json:encode(#{event => dropped, events => Events, why => Whys, 'of' => Parts}), $\n], L);
dropped(_, _, _, L) -> L.

close(L = #lines{form = folded, folded = Folded}) ->
    _ = write(viv_see_stacks:to_folded(Folded), L),
    ok;
close(_) -> ok.

%% Of patterns calls are counted, and not what they would have returned besides.
-spec lost_text(non_neg_integer(), [{binary() | atom(), pos_integer()}]) -> unicode:chardata().
lost_text(Events, Of) ->
    Most = lists:sort(fun({A, M}, {B, N}) -> {N, A} =< {M, B} end, Of),
    [io_lib:format("~w dropped", [Events]), [": " || Most =/= []],
     lists:join(", ", [io_lib:format("~w ~ts", [Count, lost_name(What)]) || {What, Count} <- Most])].

-spec lost_name(binary() | atom()) -> binary().
lost_name(What) when is_atom(What) -> atom_to_binary(What);
lost_name(Text) -> Text.
