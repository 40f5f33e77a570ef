%% That the map of blocks is true: known blocks of every type, by known processes, are found in it, exactly they, and
%% are gone when they should be.
%%
%% made() has for each type what a process does to get blocks of it, and which it gets then; unmade() the types for
%% which there can be no such test, with the reason. A type that is in neither fails.
-module(viv_memory_true_tests).
-include_lib("eunit/include/eunit.hrl").
-export([hold/1, hold_cpu/1, hold_io/1, hold_on_thread/1, let_go/0]).
-on_load(load/0).

load() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).
hold(_) -> erlang:nif_error(undef).
hold_cpu(_) -> erlang:nif_error(undef).
hold_io(_) -> erlang:nif_error(undef).
hold_on_thread(_) -> erlang:nif_error(undef).
let_go() -> erlang:nif_error(undef).

every_type_is_in_one_list_test() ->
    Made = [Type || {Type, _, _, _} <- made()] ++ [heap, old_heap, process_table],
    Unmade = [Type || {Type, _} <- unmade()],
    ?assertEqual([], Unmade -- (Unmade -- Made)),
    ?assertEqual(lists:sort([Type || {Type, _, _} <- viv_memory_map:types()]), lists:usort(Made ++ Unmade)).

unmade() ->
    [{scheduler, "schedulers make it at the start; dirty threads come when the runtime wants them"},
     {loader, "as temp: what is prepared is code already"},
     {temp, "it is freed before the call that asked for it returns"}].

%% {Type, Make, Blocks, End}. Make runs in a process and gives what keeps the blocks.
%% Blocks, of the type and by that process:
%%   {sizes, Sizes}: they are these; {beyond, Sizes}: these and a few bytes more, for each the same;
%%   {alike, N}: N of one size; {near, F}: F(what Make gave) bytes together, and some; some: what the
%%   runtime does not tell.
%% End: `gone`: they go with the process; {gone, F}: when F has been called after that; {stay, Reason}.
made() ->
    [{atom_text, fun() -> new_atoms([30, 31, 40, 255]) end, {sizes, [30, 31, 40, 255]}, {stay, "atoms do"}},
     {atom_table, fun() -> new_atoms(lists:duplicate(4096, 30)) end, {sizes, [8 * 4096, 32 * 4096]},
      {stay, "atoms do"}},
     {process, fun() -> [spawn_waiting([]) || _ <- lists:seq(1, 5)] end, {alike, 5}, gone},
     {process_misc, fun() -> process_flag(save_calls, 100) end, {beyond, [800]}, gone},
     {fragment, fun() -> send([lists:seq(1, N) || N <- [100, 200, 300]]) end, {beyond, [1600, 3200, 4800]}, gone},
     {signal, fun() -> send([a, b, c]) end, {alike, 3}, gone},
     {link, fun() -> [alias() || _ <- lists:seq(1, 5)] end, {alike, 5}, gone},
     {binary, fun() -> [binary:copy(<<1>>, N) || N <- [1000, 10000, 100001]] end, {beyond, [1000, 10000, 100001]},
      gone},
     {magic, fun() -> [counters:new(N, []) || N <- [8, 80, 800]] end, {beyond, [64, 640, 6400]}, gone},
     {magic, fun() -> atomics:new(1000, []) end, {beyond, [8000]}, gone},
     {code, fun load_module/0, {near, fun code_bytes/1}, {gone, fun unload_module/0}},
     {literal, fun load_module/0, some, {gone, fun unload_module/0}},
     {literal, fun() -> persistent_term:put(?MODULE, {kept}) end, some, {gone, fun let_go_persistent/0}},
     {literal_terms, fun() -> persistent_term:put(?MODULE, lists:seq(1, 25600)) end, {beyond, [409600]},
      {gone, fun let_go_persistent/0}},
     {fun_entry, fun load_module/0, {alike, 3}, {gone, fun unload_module/0}},
     {export, fun load_other_module/0, {alike, 4}, {stay, "exports do"}},
     {module, fun load_other_module/0, some, {stay, "a module's name may be loaded again"}},
     {ets_table, fun() -> ets:new(t, []) end, some, gone},
     {ets_object, fun() -> table([set]) end, {beyond, [16, 160, 1600]}, gone},
     {ets_object, fun() -> table([ordered_set]) end, {beyond, [16, 160, 1600]}, gone},
     {ets_object, fun() -> table([bag]) end, {beyond, [16, 160, 1600]}, gone},
     {ets_object, fun() -> table([ordered_set, public, {write_concurrency, true}]) end, {beyond, [16, 160, 1600]},
      gone},
     {match_spec, fun() -> ets:match_spec_compile([{{'$1'}, [], ['$1']}]) end, some, gone},
     {timer, fun() -> [erlang:start_timer(100000, self(), N) || N <- [1, 2, 3]] end, {alike, 3}, gone},
     {persistent, fun() -> [persistent_term:put({?MODULE, N}, N) || N <- lists:seq(1, 4096)] end, some,
      {stay, "there are never fewer buckets"}},
     {regex, fun() -> binary:compile_pattern([binary:copy(<<"a">>, 20), binary:copy(<<"b">>, 30)]) end,
      {sizes, [32, 50]}, gone},
     {regex, fun() -> binary:compile_pattern([binary:copy(<<"a">>, 100), binary:copy(<<"b">>, 200)]) end, some, gone},
     {distribution, fun() -> erts_internal:new_connection('nobody@nowhere') end, some,
      {stay, "until net_kernel gives the connection up"}},
     {regex, fun() -> re:run("aaa", "a*b?viv_memory_true_tests", []) end, some, {stay, "the runtime's cache has it"}},
     {node, fun() -> [pid_of(Name) || Name <- ["a@viv_true", "b@viv_true"]] end, {alike, 2}, gone},
     {file_io, fun filled_buffer/0, {alike, 1}, gone},
     {port, fun open_program/0, some, gone},
     {nif, fun() -> hold(1000), hold_cpu(2000), hold_io(3000) end, {sizes, [1000, 2000, 3000]}, {gone, fun let_go/0}},
     {trace, fun() -> trace:session_create(?MODULE, self(), []) end, some, gone},
     {trace, fun() -> erlang:system_monitor(self(), [busy_port]) end, {alike, 1}, {gone, fun let_go_monitor/0}},
     {port, fun() -> open_port({spawn, "cat"}, []) end, some, gone},
     {socket, fun wait_for_sockets/0, {alike, 3}, gone},
     {misc, fun() -> compressing() end, some, gone}].

made_test_() ->
    {setup, fun() -> _ = viv_memory_map:stop(), true = viv_memory_map:start(0, false) end,
     fun(_) -> viv_memory_map:stop() end,
     [{lists:concat([Type, " ", N]), {timeout, 60, fun() -> is_found(Type, Make, Blocks, End) end}}
      || {N, {Type, Make, Blocks, End}} <- lists:enumerate(made())]}.

is_found(Type, Make, Expected, End) ->
    {Pid, Ref} = spawn_monitor(fun maker/0),
    Before = blocks_of(Pid, Type),
    Made = ask(Pid, {make, Make}),
    Blocks = settled(Expected, Made, Pid, Type, Before, 6000),
    ok = ask(Pid, stop),
    receive {'DOWN', Ref, process, Pid, Reason} -> ?assertEqual(normal, Reason) end,
    case End of
        {stay, _} -> ?assertEqual(Blocks, Blocks -- (Blocks -- blocks_of(Pid, Type)));
        gone -> none_left(Pid, Type, 6000);
        {gone, Drop} -> Drop(), none_left(Pid, Type, 6000)
    end.

maker() ->
    receive
        {From, {make, Make}} ->
            Kept = Make(),
            From ! {self(), described(Kept)},
            receive {Asker, stop} -> Asker ! {self(), ok}, Kept end
    end.

wait_for_sockets() -> [wait_for_socket() || _ <- lists:seq(1, 3)].

wait_for_socket() ->
    {ok, Socket} = socket:open(inet, dgram, udp),
    ok = socket:bind(Socket, #{family => inet, addr => loopback, port => 0}),
    {select, _} = socket:recvfrom(Socket, 0, [], nowait),
    Socket.

%% Places for descriptors are made once: by another.
open_program() ->
    {Pid, Ref} = spawn_monitor(fun() -> open_port({spawn, "cat"}, []) end),
    receive {'DOWN', Ref, process, Pid, normal} -> open_port({spawn, "cat"}, []) end.

%% What is sent must not be in the way of what is looked for.
described({module, Name}) -> {module, Name};
described(_) -> made.

ask(Pid, What) ->
    Pid ! {self(), What},
    receive {Pid, Answer} -> Answer after 30000 -> error({no_answer, What}) end.

blocks_of(Owner, Type) ->
    Names = list_to_tuple([Name || {Name, _, _} <- viv_memory_map:types()]),
    {ok, Blocks} = viv_memory_map:fold(fun({T, Address, Bytes, Pid, _, 0}, Acc) when Pid =:= Owner ->
                                               [{Address, Bytes} || element(T + 1, Names) =:= Type] ++ Acc;
                                          (_, Acc) -> Acc
                                       end, []),
    lists:sort(Blocks).

%% A message that was taken, or what was let go, may be freed a little later.
settled(Expected, Made, Pid, Type, Before, Times) ->
    Blocks = blocks_of(Pid, Type) -- Before,
    Sizes = lists:sort([Bytes || {_, Bytes} <- Blocks]),
    case fits(Expected, Made, Sizes) of
        true -> Blocks;
        false when Times > 0 -> timer:sleep(10), settled(Expected, Made, Pid, Type, Before, Times - 1);
        false -> ?assertEqual(Expected, Sizes)
    end.

fits({sizes, Expected}, _, Sizes) -> Expected =:= Sizes;
fits({beyond, [First | _] = Expected}, _, [Least | _] = Sizes) ->
    Header = Least - First,
    Header >= 0 andalso Header < 4096 andalso Sizes =:= [Header + Bytes || Bytes <- Expected];
fits({alike, N}, _, Sizes) -> length(Sizes) =:= N andalso length(lists:usort(Sizes)) =:= 1;
fits({near, F}, Made, Sizes) -> lists:sum(Sizes) >= F(Made) andalso lists:sum(Sizes) < F(Made) + 1000;
fits(some, _, Sizes) -> Sizes =/= [];
fits(_, _, []) -> false.

none_left(Pid, Type, Times) ->
    case blocks_of(Pid, Type) of
        [] -> ok;
        _ when Times > 0 -> timer:sleep(10), none_left(Pid, Type, Times - 1);
        Left -> ?assertEqual([], Left)
    end.

%% Heaps: where they are known to lie, as the process itself tells.
heaps_test() ->
    _ = viv_memory_map:stop(),
    true = viv_memory_map:start(0, false),
    {Pid, Ref} = spawn_monitor(fun maker/0),
    made = ask(Pid, {make, fun() -> L = lists:seq(1, 20000), [erlang:garbage_collect(self(), [{type, minor}])
                                                              || _ <- [1, 2, 3]], L end}),
    {garbage_collection_info, Info} = process_info(Pid, garbage_collection_info),
    [begin
         Words = proplists:get_value(Item, Info),
         ?assert(Words > 0),
         ?assertEqual([8 * Words], [Bytes || {_, Bytes} <- blocks_of(Pid, Type)])
     end || {Type, Item} <- [{heap, heap_block_size}, {old_heap, old_heap_block_size}]],
    ok = ask(Pid, stop),
    receive {'DOWN', Ref, process, Pid, normal} -> ok end,
    none_left(Pid, heap, 6000),
    none_left(Pid, old_heap, 6000),
    true = viv_memory_map:stop().

%% It is nobody's, and stays: numbers are used again.
process_table_test() ->
    _ = viv_memory_map:stop(),
    true = viv_memory_map:start(0, false),
    Before = blocks_of(undefined, process_table),
    fill_process_table(),
    ?assertEqual([16384, 32768, 32768],
                 lists:sort([Bytes || {_, Bytes} <- blocks_of(undefined, process_table) -- Before])),
    true = viv_memory_map:stop().

%% A thread of a library's own belongs to no process.
thread_of_a_library_test() ->
    _ = viv_memory_map:stop(),
    true = viv_memory_map:start(0, false),
    hold_on_thread(76543),
    ?assertMatch([_], [x || {_, 76543} <- blocks_of(undefined, nif)]),
    let_go(),
    ?assertEqual([], [x || {_, 76543} <- blocks_of(undefined, nif)]),
    true = viv_memory_map:stop().

%% Of so many characters each.
new_atoms(Lengths) ->
    [begin
         Number = integer_to_list(erlang:unique_integer([positive])),
         list_to_atom(Number ++ lists:duplicate(Length - length(Number), $a))
     end || Length <- Lengths].

%% Ends with its parent.
spawn_waiting(Options) ->
    Parent = self(),
    spawn_opt(fun() -> Ref = monitor(process, Parent), receive {'DOWN', Ref, _, _, _} -> ok end end, Options).

%% Of each of three tables a piece is for 4096 processes.
fill_process_table() -> [spawn(fun() -> ok end) || _ <- lists:seq(1, 4096)], ok.

%% To somebody who never takes them, and has them outside of his heap.
send(Messages) ->
    Pid = spawn_waiting([{message_queue_data, off_heap}]),
    [Pid ! M || M <- Messages].

table(Options) ->
    T = ets:new(t, Options),
    [ets:insert(T, {N, lists:seq(1, N)}) || N <- [1, 10, 100]],
    T.

-define(LOADED, viv_memory_true_loaded).

%% Three funs, literals, exports that others have too.
load_module() ->
    load(compiled(?LOADED, "-export([f/0]). f() -> {\"a literal\", fun() -> 1 end, fun() -> 2 end, fun() -> 3 end}.")).

code_bytes({module, Name}) ->
    [{current, Bytes, _}] = viv_memory_map:module(Name),
    Bytes.

unload_module() ->
    true = erlang:delete_module(?LOADED),
    code:purge(?LOADED).

%% Of a name that nobody has used: f/0, and what every module has.
load_other_module() ->
    Name = list_to_atom("viv_memory_true_" ++ integer_to_list(erlang:unique_integer([positive]))),
    load(compiled(Name, "-export([f/0]). f() -> unknown_" ++ atom_to_list(Name) ++ ":g().")).

%% Loads here, and not in the code server.
load({Name, Binary}) -> {module, Name} = erlang:load_module(Name, Binary).

compiled(Name, Text) ->
    {ok, Tokens, _} = erl_scan:string("-module(" ++ atom_to_list(Name) ++ "). " ++ Text),
    {ok, Name, Binary} = compile:forms(forms(Tokens, [])),
    {Name, Binary}.

forms([], _) -> [];
forms([{dot, _} = Dot | Tokens], Form) ->
    {ok, Parsed} = erl_parse:parse_form(lists:reverse([Dot | Form])),
    [Parsed | forms(Tokens, [])];
forms([Token | Tokens], Form) -> forms(Tokens, [Token | Form]).

let_go_persistent() -> true = persistent_term:erase(?MODULE).

pid_of(Node) -> binary_to_term(<<131, 88, 100, (length(Node)):16, (list_to_binary(Node))/binary, 1:32, 2:32, 3:32>>).

filled_buffer() ->
    Buffer = prim_buffer:new(),
    prim_buffer:write(Buffer, [binary:copy(<<1>>, 5000)]),
    Buffer.

let_go_monitor() -> erlang:system_monitor(undefined).

compressing() ->
    Stream = zlib:open(),
    zlib:deflateInit(Stream),
    Stream.
