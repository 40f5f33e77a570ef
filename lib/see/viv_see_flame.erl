%% The page of viv sample: a flame graph that needs nothing else to be read. The page is lib/see/flame.html with what it
%% includes; it is part of the program. Into it go, where it says @@DATA@@, the stacks as JSON.
-module(viv_see_flame).
-export([page/4]).

%% Base: the stacks of another time, or none.
-spec page(viv_see_stacks:stacks(), none | viv_see_stacks:stacks(), node(), pos_integer()) -> iodata().
page(Stacks, Base, Node, Rate) ->
    [Head, Tail] = viv_page:parts('see/flame.html', [<<"@@DATA@@">>]),
    Count = viv_see_stacks:count(Stacks),
    Functions = [[Name, Self, Total] || {Name, Self, Total} <- viv_see_stacks:functions(Stacks)],
    Data = #{node => atom_to_binary(Node), rate => Rate, count => Count, functions => Functions,
             compared => Base =/= none, tree => root(Stacks, Base, Count)},
    [Head, viv_json:encode(Data), Tail].

root(Stacks, none, _) -> node(<<"all">>, viv_see_stacks:tree(Stacks), none, 1);
root(Stacks, Base, Count) -> % whose names were cleaned when it was written
    node(<<"all">>, viv_see_stacks:tree(viv_see_stacks:cleaned(Stacks)), viv_see_stacks:tree(Base),
         Count / max(1, viv_see_stacks:count(Base))).

%% delta: samples more than there were, as if there had been as many in all.
node(Name, {Total, Children}, Base, Scale) ->
    Nodes = [node(Child, Tree, child(Child, Base), Scale) || {Child, Tree} <- lists:sort(maps:to_list(Children))],
    maps:merge(#{name => Name, value => Total, children => Nodes}, delta(Total, Base, Scale)).

delta(_, none, _) -> #{};
delta(Total, {Before, _}, Scale) -> #{delta => round(Total - Before * Scale)}.

child(_, none) -> none;
child(Name, {_, Children}) -> maps:get(Name, Children, {0, #{}}).
