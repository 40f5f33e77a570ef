%% A shop that loses memory in three ways; docs/MEMORY.md finds each of them while it runs.
%%
%%   orders    a process that is sent more than it takes: its queue grows
%%   labels    keeps a hundred bytes of each picture, and with them the whole picture
%%   visitors  a table to which something comes with each visit, and nothing goes
-module(leaks).
-export([main/0, start/0, visits/1]).

%% What docs/MEMORY.md does to find them.
main() ->
    start(),
    visits(100),
    true = instrument:start(#{sites => true}),
    Before = viv_memory:snapshot(),
    visits(1000),
    #{processes := Grown, functions := Places} = viv_memory:diff(Before, viv_memory:snapshot()),
    show("who asked for more", [{name(Pid), Sum} || {Pid, Bytes, Blocks} <- Grown, Sum <- [{Bytes, Blocks}]]),
    show("and where", [{Place, {Bytes, Blocks}} || {Place, Bytes, Blocks} <- Places]),
    [io:format("~p ~p~n", [Name, held(viv_memory:holders(whereis(Name)))]) || Name <- [orders, labels, visitors]],
    #{total := Total, objects := Objects} = viv_memory:holders(ets:whereis(visitors)),
    io:format("the table visitors has ~b objects, ~b bytes~n", [Objects, Total]),
    ok = instrument:report("leaks.html", #{since => Before}).

show(What, Sums) ->
    io:format("~s~n", [What]),
    [io:format("  ~p ~b bytes in ~b blocks~n", [Who, Bytes, Blocks])
     || {Who, {Bytes, Blocks}} <- lists:sublist(Sums, 3)].

name(undefined) -> undefined;
name(Pid) ->
    case process_info(Pid, registered_name) of
        {registered_name, Name} -> Name;
        _ -> Pid
    end.

%% Each binary with how many hold it.
held(#{total := Total, messages := {Messages, _}, binaries := Binaries, binary_bytes := Bytes, tables := Tables}) ->
    [{itself, Total}, {messages, Messages}, {binaries, length(Binaries), Bytes},
     {held_by_it_alone, length([alone || {_, _, 1} <- Binaries])}, {tables, [Name || {_, Name, _} <- Tables]}].

start() ->
    register(orders, spawn(fun orders/0)),
    register(labels, spawn(fun() -> labels([]) end)),
    Shop = self(),
    register(visitors, spawn(fun() ->
                                 visitors = ets:new(visitors, [named_table, public]),
                                 Shop ! visitors,
                                 receive stop -> ok end
                             end)),
    receive visitors -> ok end.

visits(N) ->
    [visit(V) || V <- lists:seq(1, N)],
    labels ! {done, self()},
    receive done -> ok end.

visit(Visitor) ->
    orders ! {order, Visitor, lists:duplicate(50, item)},
    labels ! {picture, picture()},
    ets:insert(visitors, {{Visitor, erlang:unique_integer()}, "somebody", calendar:universal_time()}).

%% Only paid orders are taken, and nobody pays.
orders() ->
    receive {paid, _} -> orders() end.

labels(Labels) ->
    receive
        {picture, <<Label:100/binary, _/binary>>} -> labels([Label | Labels]);
        {done, From} -> From ! done, labels(Labels)
    end.

picture() -> <<"cat", (binary:copy(<<"x">>, 20000))/binary>>.
