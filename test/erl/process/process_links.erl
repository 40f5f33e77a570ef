-module(process_links).
-export([main/0]).
-include("p.hrl").

main() ->
    process_flag(trap_exit, false),
    p(self, self()),
    reasons(false),
    process_flag(trap_exit, true),
    reasons(true),
    dead(),
    unlinking(),
    chains(),
    to_self(),
    bad().

%% What a linked process hears.
reasons(Trap) ->
    [begin
         {P, R} = spawn_monitor(fun() ->
                                        process_flag(trap_exit, Trap),
                                        spawn_link(fun() -> end_with(How) end),
                                        receive M -> exit({got, M}) after patience(How, Trap) -> exit(nothing) end
                                end),
         receive {'DOWN', R, process, P, Why} -> p({How, Trap}, reason(Why)) end
     end || How <- [normal, return, other, kill, {error, badarith}, throw, shutdown]].

%% Nothing comes of a normal end that is not trapped.
patience(How, false) when How =:= normal; How =:= return -> 50;
patience(_, _) -> 60000.

end_with(return) -> ok;
end_with({error, E}) -> put(quiet, true), exit({E, []});
end_with(throw) -> exit({{nocatch, x}, []});
end_with(R) -> exit(R).

reason({got, {'EXIT', _, R}}) -> {got, R};
reason(R) -> R.

dead() ->
    {P, R} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', R, _, _, _} -> ok end,
    p(link_dead, link(P)),
    p(heard, flush()),
    process_flag(trap_exit, false),
    f(link_dead_untrapped, fun() -> link(P) end),
    p(unlink_dead, unlink(P)),
    process_flag(trap_exit, true),
    [begin
         Q = spawn_link(fun() -> receive after infinity -> ok end end),
         p({exit2, How}, exit(Q, How)),
         p({heard, How}, flush())
     end || How <- [kill, {a, "term", 1.5}, shutdown]],
    Q2 = spawn_link(fun() -> receive X -> exit(X) end end),
    exit(Q2, normal),
    p(normal_is_ignored, flush(30)),
    Q2 ! bye,
    p(said, flush()).

%% Nothing of a link is seen after unlink returns.
unlinking() ->
    [begin
         P = spawn_link(fun() -> receive go -> exit(gone) end end),
         P ! go,
         unlink(P),
         receive {'EXIT', P, _} -> ok after 0 -> ok end,
         case flush(0) of [] -> ok; L -> p(late, L) end
     end || _ <- lists:seq(1, 200)],
    P = spawn(fun() -> receive go -> exit(gone) end end),
    link(P), link(P), unlink(P), link(P),
    p(links, lists:member(P, element(2, process_info(self(), links)))),
    p(links_other, process_info(P, links)),
    P ! go,
    p(once, flush()).

chains() ->
    N = 100,
    Self = self(),
    First = chain(N, Self),
    receive ready -> ok end,
    exit(First, crash),
    p(chain, flush()),
    Tree = spawn_link(fun() -> tree(7, Self) end),
    [receive leaf -> ok end || _ <- lists:seq(1, 128)],
    exit(Tree, boom),
    p(tree, flush()).

chain(0, Last) -> link(Last), Last ! ready, receive after infinity -> ok end;
chain(N, Last) when N =:= 100 -> spawn(fun() -> chain(N - 1, Last) end);
chain(N, Last) -> spawn_link(fun() -> chain(N - 1, Last) end), receive after infinity -> ok end.

tree(0, To) -> To ! leaf, receive after infinity -> ok end;
tree(N, To) -> [spawn_link(fun() -> tree(N - 1, To) end) || _ <- [1, 2]], receive after infinity -> ok end.

to_self() ->
    p(exit_self_trapped, exit(self(), normal)),
    p(heard, flush()),
    p(exit_self_reason, exit(self(), r)),
    p(heard, flush()),
    [begin
         {P, R} = spawn_monitor(fun() -> exit(self(), How), receive after 20 -> exit(survived) end end),
         receive {'DOWN', R, process, P, Why} -> p({self, How}, Why) end
     end || How <- [normal, kill, other]],
    p(link_self, {link(self()), unlink(self())}).

bad() ->
    [f({bad, X}, fun() -> link(X) end) || X <- [a, 1, [], make_tuple]],
    [f({bad, X}, fun() -> unlink(X) end) || X <- [a, 1, []]],
    [f({bad, X}, fun() -> exit(X, r) end) || X <- [a, 1, []]].
