%% Carries out what standard input orders, in one runtime: starting `erl` takes longer than most of what is ordered.
%%
%% A line of standard input is {Id, Order ...}. and a line of standard output {Id, Answer}. Answer is "", or what is
%% wrong.
-module(orders).
-export([serve/1, tell/2]).

%% `Carry_out` is given the Id and a list of the rest, and has tell/2 called once for each Id, from any process. It
%% comes back at once: else the end of standard input, with which all ends, would not be seen.
serve(Carry_out) ->
    ok = io:setopts([{encoding, unicode}, binary]),
    serve_all(Carry_out).

serve_all(Carry_out) ->
    case io:read("") of
        {ok, Order} ->
            [Id | Rest] = tuple_to_list(Order),
            Carry_out(Id, Rest),
            serve_all(Carry_out);
        eof ->
            halt()
    end.

tell(Id, Wrong) -> io:format("{~w,~ts}.~n", [Id, io_lib:write_string(Wrong)]).
