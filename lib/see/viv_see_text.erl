%% Terms of another node in one line of text: as ~p would show them there. Its own pids begin with 0, as they do there.
-module(viv_see_text).
-export([term/2, mfa/1, name/1, bytes/1, clock/1]).

%% Node: the other's name; what belongs to it is its own.
-spec term(term(), node()) -> iodata().
term(Pid, Node) when is_pid(Pid); is_port(Pid); is_reference(Pid) -> identifier(Pid, Node);
term([], _) -> "[]";
term(List, Node) when is_list(List) ->
    case io_lib:printable_unicode_list(List) of
        true -> io_lib:write_string(List);
        false -> [$[, elements(List, Node), $]]
    end;
term({'...', Bytes, <<Beginning/binary>>}, _) -> io_lib:format("~0tp(~w bytes)", [Beginning, Bytes]);
term({'fun', Module, Name, Arity}, _) -> io_lib:format("#Fun<~tw:~tw/~w>", [Module, Name, Arity]);
term(Tuple, Node) when is_tuple(Tuple) -> [${, lists:join($,, [term(E, Node) || E <- tuple_to_list(Tuple)]), $}];
term(Map, Node) when is_map(Map) ->
    ["#{", lists:join($,, [[term(K, Node), " => ", term(V, Node)] || {K, V} <- lists:sort(maps:to_list(Map))]), $}];
term('...', _) -> "...";
term(Integer, _) when is_integer(Integer) -> integer_to_list(Integer); % this and the next as ~0tp has them, but soon
term(Atom, _) when is_atom(Atom) -> io_lib:write_atom(Atom);
term(Term, _) -> io_lib:format("~0tp", [Term]).

elements([Last], Node) -> term(Last, Node);
elements([Head | Tail], Node) when is_list(Tail) -> [term(Head, Node), $, | elements(Tail, Node)];
elements([Head | Tail], Node) -> [term(Head, Node), $|, term(Tail, Node)].

identifier(Term, Node) when node(Term) =:= Node ->
    [Before, After] = string:split(text(Term), "."),
    Digits = length(lists:takewhile(fun(C) -> C >= $0 andalso C =< $9 end, lists:reverse(Before))),
    [lists:sublist(Before, length(Before) - Digits), "0.", After];
identifier(Term, _) -> text(Term).

text(Pid) when is_pid(Pid) -> pid_to_list(Pid);
text(Port) when is_port(Port) -> erlang:port_to_list(Port);
text(Ref) -> ref_to_list(Ref).

-spec mfa({atom(), atom(), arity() | [term()]}) -> iodata().
mfa({Module, Function, Arguments}) when is_list(Arguments) -> mfa({Module, Function, length(Arguments)});
mfa({Module, Function, Arity}) ->
    [io_lib:write_atom(Module), $:, io_lib:write_atom(Function), $/, integer_to_list(Arity)].

%% A name that somebody has chosen, as it is; but what a terminal would obey is written as in a string.
-spec name(atom() | binary()) -> unicode:chardata().
name(Name) when is_atom(Name) -> name(atom_to_binary(Name));
name(Name) -> [visible(C) || <<C/utf8>> <= Name].

visible(C) when C < 32; C >= 127, C < 160 -> lists:droplast(tl(io_lib:write_string([C])));
visible(C) -> C.

%% In at most four digits and a unit.
-spec bytes(non_neg_integer()) -> iodata().
bytes(Bytes) when Bytes < 10000 -> integer_to_list(Bytes);
bytes(Bytes) when Bytes < 10000 * 1024 -> io_lib:format("~w K", [Bytes div 1024]);
bytes(Bytes) when Bytes < 10000 * 1024 * 1024 -> io_lib:format("~w M", [Bytes div (1024 * 1024)]);
bytes(Bytes) -> io_lib:format("~w G", [Bytes div (1024 * 1024 * 1024)]).

%% Of the day, here.
-spec clock(Microseconds :: integer()) -> iodata().
clock(Time) ->
    Now = {Time div 1000000000000, Time div 1000000 rem 1000000, Time rem 1000000},
    {_, {Hour, Minute, Second}} = calendar:now_to_local_time(Now),
    io_lib:format("~2..0w:~2..0w:~2..0w.~6..0w", [Hour, Minute, Second, Time rem 1000000]).
