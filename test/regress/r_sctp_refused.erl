%% gen_sctp where the runtime has no driver for it, or the system no SCTP: what it answers had no test.
-module(r_sctp_refused).
-export([main/0]).

main() ->
    [io:format("~p~n", [refusal(Open)])
     || Open <- [fun() -> gen_sctp:open() end, fun() -> gen_sctp:open(0) end, fun() -> gen_sctp:open([inet6]) end,
                 fun() -> gen_sctp:open(0, [{ip, {127, 0, 0, 1}}, {type, stream}]) end,
                 fun() -> gen_sctp:open([no_such_option]) end,
                 fun() -> socket:open(inet, seqpacket, sctp) end, fun() -> socket:open(inet, stream, sctp) end]].

%% One that succeeds says no more than that.
refusal(Open) ->
    try Open() of
        {ok, _} -> opened;
        Refused -> Refused
    catch Class:Reason -> {Class, Reason}
    end.
