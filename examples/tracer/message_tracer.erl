%% Who sends to whom? See message_tracer.c for how to build its library.
-module(message_tracer).
-export([main/0, enabled/3, trace/5]).
-on_load(on_load/0).

main() ->
    Told = self(),
    Recipient = spawn(fun Loop() -> receive {From, Question} -> From ! {self(), Question}, Loop() end end),
    Sender = spawn(fun() -> ask(Recipient, 2) end),
    [1 = erlang:trace(Pid, true, [send, {tracer, ?MODULE, Told}]) || Pid <- [Sender, Recipient]],
    Sender ! go,
    Names = #{Sender => sender, Recipient => recipient},
    [receive {trace, From, To} -> io:format("~w sends to ~w~n", [maps:get(From, Names), maps:get(To, Names)]) end
     || _ <- lists:seq(1, 4)],
    receive More -> io:format("and ~p~n", [More]) after 100 -> ok end.

ask(Recipient, Times) ->
    receive go -> ok end,
    [begin Recipient ! {self(), N}, receive {Recipient, N} -> ok end end || N <- lists:seq(1, Times)].

on_load() -> erlang:load_nif(filename:join(os:getenv("NIF_LIBRARIES", "."), "message_tracer"), 0).

enabled(_Tag, _State, _Tracee) -> erlang:nif_error(not_loaded).
trace(_Tag, _State, _Tracee, _Term, _Options) -> erlang:nif_error(not_loaded).
