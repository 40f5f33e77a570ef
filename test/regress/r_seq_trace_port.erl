%% A port as system tracer of seq_trace: its driver gets what is told in the external format. It got nothing, and a port
%% that was gone stayed the tracer.
-module(r_seq_trace_port).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    ok = erl_ddll:load_driver(os:getenv("NIF_LIBRARIES"), ?MODULE_STRING),
    Port = open_port({spawn, ?MODULE_STRING}, [binary]),
    false = seq_trace:set_system_tracer(Port),
    io:format("~p~n", [seq_trace:get_system_tracer() =:= Port]),
    [begin
         seq_trace:set_token(print, true),
         [seq_trace:set_token(Stamp, true) || Stamp <- Stamps],
         seq_trace:print(0, What),
         seq_trace:set_token([]),
         io:format("~p~n", [told(Port)])
     end || What <- [[small, term], {huge, lists:seq(1, 20000), <<0:80000>>}], Stamps <- [[], [monotonic_timestamp]]],
    unlink(Port),
    port_close(Port),
    io:format("~p~n", [seq_trace:get_system_tracer()]),
    seq_trace:set_token(print, true),
    seq_trace:print(0, nobody),
    io:format("~p~n", [receive Other -> Other after 100 -> nothing end]).

told(Port) ->
    receive
        {Port, {data, Bytes}} ->
            Told = binary_to_term(Bytes),
            {seq_trace, 0, {print, {_, _}, _, [], What}} = list_to_tuple(lists:sublist(tuple_to_list(Told), 3)),
            {tuple_size(Told), erlang:phash2(What)}
    after 60000 -> nothing
    end.
