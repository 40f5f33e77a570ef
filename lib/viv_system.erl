%% What erlang:system_info/1 tells that takes a conversation with every process.
%%
%% break_item(Key): what a key of the break menu asks for, printed on the terminal.
%%
%% procs() -> binary(): a section of text for each process, and each port, in the form of a crash dump, and in the order
%% of processes/0. A process writes its own, when it next handles signals; one that ends meanwhile is left out.
-module(viv_system).
-export([procs/0, process_text/1, port_text/1, look_at_clock/0]).
-export([break_item/1, break_key/0, break_put/1, break_end/0]).

process_text(_Pid) -> erlang:nif_error(undef). % binary(), or undefined when there is no such process
port_text(_Port) -> erlang:nif_error(undef). % the same

%% Whether the system's clock was set: the first process looks, and again after so many milliseconds.
look_at_clock() -> erlang:nif_error(undef).

%% The caller's own comes first: what it holds of the others is not to stand in it.
procs() ->
    Own = process_text(self()),
    iolist_to_binary([Text || P <- processes(), Text <- [text(P, Own)], is_binary(Text)] ++
                         [Text || P <- erlang:ports(), Text <- [port_text(P)], is_binary(Text)]).

text(P, Own) when P =:= self() -> Own;
text(P, _) -> process_text(P).

break_key() -> erlang:nif_error(undef). % the first character of the next line that is typed
break_put(_Binary) -> erlang:nif_error(undef).
break_end() -> erlang:nif_error(undef). % the menu goes on

break_item(Key) ->
    try item(Key)
    catch _:_ -> failed % something ended just now; what there was to say of others was said
    after break_end()
    end.

item($p) ->
    [put_text(process_text(P)) || P <- others()],
    put_ports();
item($o) -> put_ports();
item($i) -> break_put(erlang:system_info(info));
item($l) -> break_put(erlang:system_info(loaded));
item($d) -> break_put(erlang:system_info(dist));
item($D) ->
    erts_internal:ets_super_user(true),
    [put_table(T) || T <- ets:all()];
item($k) ->
    break_put(<<"\n\nProcess Information\n\n--------------------------------------------------\n">>),
    ask(lists:reverse(others())).

others() -> lists:delete(self(), processes()).

put_ports() -> [put_text(port_text(P)) || P <- erlang:ports()].

put_text(undefined) -> gone;
put_text(Text) -> break_put(Text).

%% One after the other, the newest first, until the answer is something else.
ask([P | Ps]) ->
    case process_text(P) of
        undefined -> ask(Ps);
        Text ->
            break_put(Text),
            break_put(<<"(k)ill (n)ext (r)eturn:\n">>),
            answer(break_key(), P, Ps)
    end;
ask([]) -> done.

answer($k, P, Ps) -> exit(P, kill), ask(Ps);
answer($n, _, Ps) -> ask(Ps);
answer(_, _, _) -> done.

lines(Lines) -> unicode:characters_to_binary([[line(Name), Value, $\n] || {Name, Value} <- Lines]).

line("=" ++ _ = Section) -> [Section, $:];
line(Name) -> [Name, ": "].

number(N) -> integer_to_list(N).
truth(T) -> atom_to_list(T).

%% What is in a table, if it is no tree, stands in the middle, as in the stock runtime.
put_table(T) ->
    case ets:info(T) of
        undefined -> gone;
        Info ->
            Of = fun(Item) -> proplists:get_value(Item, Info) end,
            Id = case is_atom(T) of true -> truth(T); false -> ref_to_list(T) end,
            break_put(lines([{"=ets", pid_to_list(Of(owner))}, {"Table", Id}, {"Name", truth(Of(name))}])),
            Of(type) =:= ordered_set orelse put_objects(ets:match_object(T, '_', 100), 1),
            break_put(lines([{"Objects", number(Of(size))}, {"Words", number(Of(memory))}, {"Type", truth(Of(type))},
                             {"Protection", truth(Of(protection))}, {"Compressed", truth(Of(compressed))},
                             {"Write Concurrency", truth(Of(write_concurrency))},
                             {"Read Concurrency", truth(Of(read_concurrency))}]))
    end.

put_objects({Objects, More}, N) ->
    Numbered = lists:zip(lists:seq(N, N + length(Objects) - 1), Objects),
    break_put(unicode:characters_to_binary([io_lib:format("~b: [~0tp]~n", [I, O]) || {I, O} <- Numbered])),
    put_objects(ets:match_object(More), N + length(Objects));
put_objects(_, _) -> done.
