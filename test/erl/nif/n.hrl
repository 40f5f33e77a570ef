%% What the tests of native libraries share: load/1 loads one from the folder that the test run names, check/3 calls a
%% function with many arguments and prints a line for each.

-include("../t.hrl").
-compile({nowarn_unused_function, [library/1, check/3, flush/0, show/1]}).

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
