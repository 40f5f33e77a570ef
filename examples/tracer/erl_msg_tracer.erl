%% The example of erl_tracer(3), a tracer that tells who sends to whom, in Erlang: what is NIFs there are clauses here.
%%
%%   bin/viv run examples/tracer/erl_msg_tracer.erl
%%
%% or, with the session that the manual shows (after `cd examples/tracer`, in `viv erl`):
%%
%%   1> c(erl_msg_tracer, [debug_info]).
%%   {ok,erl_msg_tracer}
%%   2> Tracer = spawn(fun F() -> receive M -> io:format("~p~n",[M]), F() end end).
%%   <0.87.0>
%%   3> {Module, State} = erl_msg_tracer:load(Tracer).
%%   {viv_tracer,#Ref<0.3107264586.3020161026.47124>}
%%   4> erlang:trace(new, true, [send,{tracer, Module, State}]).
%%   0
%%   5> {ok, D} = file:open("/tmp/tmp.data",[write]).
%%   {trace,<0.95.0>,<0.50.0>}
%%   {trace,<0.96.0>,<0.95.0>}
%%   {ok,<0.96.0>}
%%
%% The clauses of enabled/3 are asked on the thread of who sends; trace/5 is called in a process of the tracer's own,
%% which ends with Tracer.
-module(erl_msg_tracer).
-export([enabled/3, trace/5, load/1, main/0]).

load(ToPid) -> viv_tracer:start(?MODULE, ToPid, #{owner => ToPid}).

%% Only generate trace for when tracer =/= tracee, and on 'send'; and trace_status has to be answered.
enabled(_Tag, ToPid, ToPid) -> discard;
enabled(send, _ToPid, _Tracee) -> trace;
enabled(trace_status, _ToPid, _Tracee) -> trace;
enabled(_Tag, _ToPid, _Tracee) -> discard.

trace(send, ToPid, Tracee, _Message, #{extra := Recipient}) -> ToPid ! {trace, Tracee, Recipient};
trace(_Tag, _ToPid, _Tracee, _Term, _Options) -> ok.

%% The same who send to each other as in message_tracer.erl.
main() ->
    Recipient = spawn(fun Loop() -> receive {From, Question} -> From ! {self(), Question}, Loop() end end),
    Sender = spawn(fun() -> ask(Recipient, 2) end),
    {Module, State} = Tracer = load(self()),
    [1 = erlang:trace(Pid, true, [send, {tracer, Module, State}]) || Pid <- [Sender, Recipient]],
    Monitor = monitor(process, Sender),
    Sender ! go,
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    true = viv_tracer:stop(Tracer),
    Names = #{Sender => sender, Recipient => recipient},
    [receive {trace, From, To} -> io:format("~w sends to ~w~n", [maps:get(From, Names), maps:get(To, Names)]) end
     || _ <- lists:seq(1, 4)],
    receive More -> io:format("and ~p~n", [More]) after 0 -> ok end.

ask(Recipient, Times) ->
    receive go -> ok end,
    [begin Recipient ! {self(), N}, receive {Recipient, N} -> ok end end || N <- lists:seq(1, Times)].
