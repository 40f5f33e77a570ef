%% Terms with a binary of more than 4 GB have no external format: which function failed is told, also when it had gone on
%% in later slices.
-module(r_encoded_too_large).
-export([main/0, huge/0]).
-on_load(load/0).

load() -> erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES"), ?MODULE), 0).
huge() -> erlang:nif_error(not_loaded).

main() ->
    Huge = huge(),
    Long = [lists:seq(1, 2000000), Huge],
    [io:format("~p ~p ~p: ~p~n", [F, length(Options), is_list(Term), result(F, [Term | Options])])
     || Term <- [Huge, Long], Options <- [[], [[compressed]], [[{minor_version, 1}]]], F <- [term_to_binary, term_to_iovec]],
    io:format("~p~n", [catch byte_size(term_to_binary(lists:seq(1, 2000000)))]).

result(F, Arguments) ->
    try apply(erlang, F, Arguments)
    catch Class:Reason:Stack ->
        {M, N, A, Location} = hd(Stack),
        {Class, Reason, M, N, A =:= Arguments, Location}
    end.
