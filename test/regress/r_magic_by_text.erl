%% A reference to a table or to counters is the same again when it was written as text or in the external format and
%% read, as long as there is what it refers to.
-module(r_magic_by_text).
-export([main/0]).

main() ->
    Table = ets:new(a_table, [bag]),
    Counters = atomics:new(1, []),
    Ways = [fun(R) -> R end, fun(R) -> list_to_ref(ref_to_list(R)) end, fun(R) -> list_to_ref(io_lib_text(R)) end,
            fun(R) -> binary_to_term(term_to_binary(R)) end],
    [io:format("~p ~p ~p~n", [Way(Table) =:= Table, tell(fun() -> ets:info(Way(Table), type) end),
                              tell(fun() -> atomics:get(Way(Counters), 1) end)]) || Way <- Ways],
    Text = ref_to_list(Table),
    true = ets:delete(Table),
    io:format("~p~n", [tell(fun() -> ets:insert(list_to_ref(Text), {1}) end)]).

io_lib_text(Ref) -> lists:flatten(io_lib:format("~p", [Ref])).

tell(Fun) -> try Fun() catch error:Reason -> Reason end.
