%% What enif_select keeps may have been a literal: of a module that is purged before the event comes, or of a persistent
%% term that is erased. The message, and the reference in the one that is made, led to memory that was others' by then.
-module(r_select_literals).
-export([main/0, select_message/1, select_reference/1, write_one/1, stop/3]).
-nifs([select_message/1, select_reference/1, write_one/1, stop/3]).

-define(OBJECTS, 20).

main() ->
    ok = erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING), 0),
    Messages = [message_of(N) || N <- lists:seq(1, ?OBJECTS)],
    References = [reference_of(N) || N <- lists:seq(1, ?OBJECTS)],
    [begin true = code:delete(module(N)), false = code:purge(module(N)) end || N <- lists:seq(1, ?OBJECTS)],
    [true = persistent_term:erase({?MODULE, N}) || N <- lists:seq(1, ?OBJECTS)],
    [begin garbage_collect(), use_memory(I), timer:sleep(20) end || I <- lists:seq(1, 20)],
    [begin 1 = write_one(W), receive M -> io:format("~p~n", [M]) after 60000 -> io:format("none~n") end, stop(O, R, W) end
     || {0, O, R, W} <- Messages],
    [begin
         1 = write_one(W),
         receive {select, O, Ref, ready_input} -> io:format("~p~n", [Ref =:= binary_to_term(Binary)])
         after 60000 -> io:format("none~n")
         end,
         stop(O, R, W)
     end || {Binary, {0, O, R, W}} <- References].

message_of(N) ->
    load(N, "{message, \"some text\", " ++ integer_to_list(N) ++ ", [1, 2, 3, {a, b, c}], #{a => {b}}, <<\"bytes\">>}"),
    select_message((module(N)):term()).

reference_of(N) ->
    persistent_term:put({?MODULE, N}, {make_ref(), lists:seq(1, 100)}),
    {Ref, _} = persistent_term:get({?MODULE, N}),
    {term_to_binary(Ref), select_reference(Ref)}.

use_memory(I) ->
    persistent_term:put({?MODULE, other, I}, {lists:seq(1, 100), lists:seq(1, 100)}),
    load(?OBJECTS + I, "{other, \"text\", [9, 9, 9, {z, z, z}], #{z => {z}}, <<\"other\">>, 9}").

module(N) -> list_to_atom(?MODULE_STRING "_" ++ integer_to_list(N)).

load(N, Term) ->
    {ok, Module, Code} = compile:forms([form("-module(" ++ atom_to_list(module(N)) ++ ")."), form("-export([term/0])."),
                                        form("term() -> " ++ Term ++ ".")]),
    {module, Module} = code:load_binary(Module, "", Code).

form(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.

select_message(_) -> erlang:nif_error(not_loaded).
select_reference(_) -> erlang:nif_error(not_loaded).
write_one(_) -> erlang:nif_error(not_loaded).
stop(_, _, _) -> erlang:nif_error(not_loaded).
