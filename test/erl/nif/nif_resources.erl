%% Resources through the native interface: their life, monitors, dynamic calls. Objects are made in processes of their
%% own, so that nothing but the end of those decides when they die; what happens to them is told to the test's process.
-module(nif_resources).
-export([main/0]).
-nifs([new/3, never_a_term/2, look/1, is_of/2, keep_away/1, bring_back/0, two_terms/2, own_binary/3, shows/1, monitor/2,
       monitor_unnamed/2, dirty_monitor/2, demonitor/1, monitor_terms/2, dynamic/3, many/1]).
-compile({no_auto_import, [monitor/2, demonitor/1]}).
-include("n.hrl").

main() ->
    ok = erlang:load_nif(library("nif_resources"), 0),
    t(dies, fun() -> dies(plain, 1) end),
    t(dies_old_style, fun() -> dies(old_style, 2) end),
    t(dies_watching, fun() -> dies(watching, 3) end),
    t(never_a_term, fun() -> never_a_term(4, self()), told(4) end),
    t(look, fun() ->
                {child(fun(Me) -> R = new(plain, 5, Me), {is_reference(R), look(R)} end), told(5),
                 look(make_ref()), look(a), look(<<>>)}
            end),
    t(is_of, fun is_of/0),
    t(in_message, fun in_message/0),
    t(in_table, fun in_table/0),
    t(in_external_format, fun in_external_format/0),
    t(kept_away, fun kept_away/0),
    t(two_terms, fun() -> {child(fun(Me) -> {A, B, I, E} = two_terms(9, Me), {A =:= B, I, E} end), told(9)} end),
    t(collected, fun collected/0),
    t(own_binary, fun own_binary_test/0),
    t(own_binary_part, fun own_binary_part/0),
    t(own_memory, fun own_memory/0),
    t(many_own_binaries, fun many_own_binaries/0),
    t(monitor, fun() -> monitored(fun monitor/2) end),
    t(dirty_monitor, fun() -> monitored(fun dirty_monitor/2) end),
    t(monitor_unnamed, fun() -> monitored(fun monitor_unnamed/2) end),
    t(monitor_dead, fun monitor_dead/0),
    t(monitor_without_down, fun() -> {child(fun(Me) -> monitor(new(plain, 13, Me), self()) end), told(13)} end),
    t(monitor_self, fun() -> {child(fun(Me) -> monitor(new(watching, 133, Me), self()) end), told(133)} end),
    t(demonitor, fun demonitor_test/0),
    t(monitor_terms, fun monitor_terms_test/0),
    t(monitors_of_dead_objects, fun monitors_of_dead_objects/0),
    t(dynamic, fun dynamic_test/0),
    t(many, fun() -> [many(1000) || _ <- lists:seq(1, 50)], ok end),
    t(many_processes, fun many_processes/0),
    t(rest, fun() -> flush() end).

%% What is said of object N next.
told(N) -> receive {What, N} -> What after 60000 -> nothing end.

%% What Fun returns in a process of its own, after that process has ended.
child(Fun) ->
    Me = self(),
    {Pid, Ref} = spawn_monitor(fun() -> exit({value, Fun(Me)}) end),
    receive {'DOWN', Ref, _, Pid, Why} -> case Why of {value, V} -> V; _ -> Why end end.

dead() -> {Pid, Ref} = spawn_monitor(fun() -> ok end), receive {'DOWN', Ref, _, _, _} -> Pid end.

dies(Type, N) ->
    Early = child(fun(Me) -> R = new(Type, N, Me), erlang:garbage_collect(), {N, 100} = look(R) end),
    {Early, told(N)}.

is_of() ->
    Types = [plain, watching, old_style, without_dtor],
    {child(fun(Me) -> [[is_of(R, T) || T <- Types] || R <- [new(T, 6, Me) || T <- Types]] end), lists:sort([told(6) || _ <- [1, 2, 3]])}.

in_message() ->
    Me = self(),
    {Pid, Ref} = spawn_monitor(fun() ->
                                   receive {keep, X} -> Me ! {seen, look(X)}, receive stop -> exit({had, look(X)}) end end
                               end),
    child(fun(_) -> Pid ! {keep, new(plain, 7, Me)}, ok end),
    Seen = receive {seen, S} -> S end,
    Early = receive {died, 7} -> early after 0 -> alive end,
    Pid ! stop,
    {Seen, Early, receive {'DOWN', Ref, _, _, Why} -> Why end, told(7)}.

in_table() ->
    T = ets:new(objects, [public]),
    child(fun(Me) -> ets:insert(T, {key, new(plain, 71, Me)}) end),
    Early = receive {died, 71} -> early after 0 -> alive end,
    Look = child(fun(_) -> look(ets:lookup_element(T, key, 2)) end),
    ets:delete(T),
    {Early, Look, told(71)}.

%% While it lives, it is itself again; afterwards only a reference.
in_external_format() ->
    {Same, B} = child(fun(Me) ->
                          R = new(plain, 8, Me),
                          B = term_to_binary({x, R}),
                          {x, Again} = binary_to_term(B),
                          {{R =:= Again, look(Again)}, B}
                      end),
    Died = told(8),
    {x, Ref} = binary_to_term(B),
    {Same, Died, is_reference(Ref), look(Ref)}.

kept_away() ->
    child(fun(Me) -> keep_away(new(plain, 88, Me)) end),
    Early = receive {died, 88} -> early after 0 -> alive end,
    {Early, child(fun(_) -> look(bring_back()) end), told(88)}.

%% A process that goes on drops the object at a collection.
collected() ->
    Me = self(),
    Pid = spawn(fun() -> make_and_drop(Me), erlang:garbage_collect(), Me ! collected, receive stop -> ok end end),
    receive collected -> ok end,
    Died = told(92),
    Pid ! stop,
    Died.

make_and_drop(Me) -> {92, 100} = look(new(plain, 92, Me)).

own_binary_test() ->
    {child(fun(Me) -> [{binary:copy(B), Is} || N <- [0, 5, 100], {B, Is, true} <- [own_binary(10, N, Me)]] end),
     [told(10) || _ <- [1, 2, 3]]}.

%% The term is the object's memory, and so is what others are sent, large or small; what is made of it is not.
own_memory() ->
    child(fun(Me) -> [own_memory(own_binary(13, N, Me)) || N <- [1, 63, 64, 65, 1000]] end),
    [told(13) || _ <- lists:seq(1, 5)].

own_memory({B, _, true}) ->
    Size = byte_size(B),
    {P, M} = spawn_monitor(fun() -> receive {see, C} -> exit({shows(C), see(C)}) end end),
    P ! {see, B},
    Sent = receive {'DOWN', M, _, _, Seen} -> Seen end,
    T = ets:new(t, []),
    ets:insert(T, {1, B}),
    [{1, Kept}] = ets:lookup(T, 1),
    Copy = binary:copy(B),
    put_lines([{Size, shows(B), Sent, shows(Kept), see(B), Copy =:= B, shows(<<B/binary, 1>>),
                        shows(binary:copy(B)), term_to_binary(B) =:= term_to_binary(Copy), erlang:phash2(B),
                        is_match(B), binary:at(B, Size - 1), lists:last(binary_to_list(B)), B < <<"s">>}]).

%% The process that prints keeps nothing of the terms.
put_lines(Terms) -> io:put_chars(lists:flatten([io_lib:format("~p~n", [T]) || T <- Terms])).

see(B) -> {byte_size(B), binary:last(B), erlang:crc32(B)}.

is_match(<<"r", Rest/binary>>) -> {r, byte_size(Rest)};
is_match(<<N, Rest/binary>>) -> {N, byte_size(Rest)}.

many_own_binaries() ->
    Me = self(),
    Seen = child(fun(_) ->
              All = [own_binary(14, 8, Me) || _ <- lists:seq(1, 20000)],
              %% Copies: a term of an object would keep it alive here.
              {length(All), lists:usort([{binary:copy(B), R} || {B, R, _} <- All]),
               [{Is, binary:copy(B)} || {Is, B} <- [shows(element(1, hd(All))), shows(element(1, lists:last(All)))]]}
          end),
    {Seen, lists:usort([told(14) || _ <- lists:seq(1, 20000)])}.

%% A part of the object's binary keeps the object alive.
own_binary_part() ->
    Me = self(),
    {Pid, Ref} = spawn_monitor(fun() ->
                                   receive {part, P} -> Me ! got, receive stop -> exit(P =:= binary:copy(<<"r">>, 100)) end end
                               end),
    Look = child(fun(_) -> {B, _, _} = own_binary(11, 500, Me), Pid ! {part, binary:part(B, 100, 100)}, look(B) end),
    receive got -> ok end,
    Early = receive {died, 11} -> early after 0 -> alive end,
    Pid ! stop,
    {Look, Early, receive {'DOWN', Ref, _, _, Is} -> Is end, told(11)}.

monitored(Monitor) ->
    {child(fun(Me) ->
               R = new(watching, 12, self()),
               Pid = spawn(fun() -> receive stop -> ok end end),
               Status = Monitor(R, Pid),
               Pid ! stop,
               {Status, receive {down, 12, Pid, IsIt, IsRef} -> {down, IsIt, IsRef} after 60000 -> nothing end, look(R)}
           end)}.

monitor_dead() ->
    Dead = dead(),
    {child(fun(Me) -> R = new(watching, 122, Me), {monitor(R, Dead), demonitor(R), look(R)} end), told(122)}.

demonitor_test() ->
    Result = child(fun(Me) ->
                       R = new(watching, 14, Me),
                       Pid = spawn(fun() -> receive stop -> ok end end),
                       M = monitor(R, Pid),
                       D1 = demonitor(R),
                       D2 = demonitor(R),
                       Ref = erlang:monitor(process, Pid),
                       Pid ! stop,
                       receive {'DOWN', Ref, _, _, _} -> ok end,
                       {M, D1, D2, look(R)}
                   end),
    {Result, told(14), receive {down, 14, _, _, _} -> down after 0 -> none end}.

monitor_terms_test() ->
    Me = self(),
    Result = child(fun(_) ->
                       R1 = new(watching, 15, self()),
                       R2 = new(watching, 16, self()),
                       Pid = spawn(fun() -> receive stop -> ok end end),
                       0 = monitor(R1, Pid),
                       0 = monitor(R2, Pid),
                       {Ordered, Equal, Self, T1, T2} = monitor_terms(R1, R2),
                       Pid ! stop,
                       Downs = lists:sort([receive {down, N, Pid, true, true} -> N end || _ <- [1, 2]]),
                       {Ordered, Equal, Self, is_reference(T1), T1 =:= T2, Downs, look(R1), look(R2)}
                   end),
    {Result, is_pid(Me)}.

%% The object goes first: nobody is told of the end of the process.
monitors_of_dead_objects() ->
    Pid = spawn(fun() -> receive stop -> ok end end),
    Look = child(fun(Me) -> R = new(watching, 17, Me), 0 = monitor(R, Pid), look(R) end),
    Died = told(17),
    Ref = erlang:monitor(process, Pid),
    Pid ! stop,
    Why = receive {'DOWN', Ref, _, _, R2} -> R2 end,
    {Look, Died, Why, receive {down, 17, _, _, _} -> down after 0 -> none end}.

dynamic_test() ->
    Result = child(fun(Me) ->
                       R = new(watching, 18, Me),
                       {dynamic(?MODULE, watching, R), dynamic(?MODULE, plain, R), dynamic(?MODULE, nothing, R),
                        dynamic(no_module, watching, R), dynamic(?MODULE, watching, make_ref()),
                        dynamic(?MODULE, old_style, new(old_style, 19, Me)), dynamic(?MODULE, watching, a),
                        dynamic(1, watching, R), dynamic(?MODULE, watching, new(plain, 20, Me))}
                   end),
    {Result, told(18), told(18), told(19), told(20)}.

many_processes() ->
    Me = self(),
    Pids = [spawn_monitor(fun() ->
                              R = new(watching, N, Me),
                              P = spawn(fun() -> ok end),
                              monitor(R, P),
                              demonitor(R),
                              monitor(R, self())
                          end) || N <- lists:seq(1000, 1300)],
    Ends = [receive {'DOWN', Ref, _, _, Why} -> Why end || {_, Ref} <- Pids],
    Told = [told(N) || N <- lists:seq(1000, 1300)],
    receive after 20 -> ok end,
    [receive {down, _, _, _, _} -> ok after 0 -> ok end || _ <- lists:seq(1, 602)],
    {lists:usort(Ends), lists:usort(Told)}.

new(_, _, _) -> erlang:nif_error(not_loaded).
never_a_term(_, _) -> erlang:nif_error(not_loaded).
look(_) -> erlang:nif_error(not_loaded).
is_of(_, _) -> erlang:nif_error(not_loaded).
keep_away(_) -> erlang:nif_error(not_loaded).
bring_back() -> erlang:nif_error(not_loaded).
two_terms(_, _) -> erlang:nif_error(not_loaded).
own_binary(_, _, _) -> erlang:nif_error(not_loaded).
shows(_) -> erlang:nif_error(not_loaded).
monitor(_, _) -> erlang:nif_error(not_loaded).
monitor_unnamed(_, _) -> erlang:nif_error(not_loaded).
dirty_monitor(_, _) -> erlang:nif_error(not_loaded).
demonitor(_) -> erlang:nif_error(not_loaded).
monitor_terms(_, _) -> erlang:nif_error(not_loaded).
dynamic(_, _, _) -> erlang:nif_error(not_loaded).
many(_) -> erlang:nif_error(not_loaded).
