%% What the tests of native libraries share: load/1 loads one from the folder that the test run names, check/3 calls a
%% function with many arguments and prints a line for each.

-include("../t.hrl").
-compile({nowarn_unused_function, [library/1, check/3, flush/0, show/1, compiled/1, balance/0, balance/2]}).

%% The path of a library, as erlang:load_nif/2 wants it.
library(Name) -> filename:join(os:getenv("NIF_LIBRARIES"), Name).

check(Name, Fun, ListOfArgs) ->
    [begin
         Result = try apply(Fun, Args) of
                      V -> show(V)
                  catch
                      C:R:S -> {failed, C, show(R), top(hd(S))}
                  end,
         io:format("~0tp ~0tP -> ~0tp~n", [Name, [show(A) || A <- Args], 40, Result])
     end || Args <- ListOfArgs],
    ok.

%% Large terms by their size and hash.
show(T) ->
    case erlang:external_size(T) of
        Size when Size > 500 -> {size_and_hash, Size, erlang:phash2(T)};
        _ -> T
    end.

%% All messages that are there now.
flush() -> receive M -> [M | flush()] after 0 -> [] end.

%% A module of forms in texts.
compiled(Texts) ->
    {ok, _, Code} = compile:forms([begin
                                       {ok, Tokens, _} = erl_scan:string(Text),
                                       {ok, Form} = erl_parse:parse_form(Tokens),
                                       Form
                                   end || Text <- Texts]),
    Code.

%% Of what nif_callbacks.c told the tester: was each library unloaded that was loaded? load and upgrade tell what they
%% did: 7, to fail, among it.
balance() -> balance(0, 0).
balance(Loads, Unloads) ->
    receive
        {unload, _, _} -> balance(Loads, Unloads + 1);
        {_, _, Did} -> balance(Loads + case lists:member(7, Did) of true -> 0; false -> 1 end, Unloads)
    after case Loads of Unloads when Loads > 0 -> 500; _ -> 20000 end -> % an unload may take its time
        case Loads of
            Unloads when Loads > 0 -> balanced;
            _ -> {Loads, Unloads}
        end
    end.
