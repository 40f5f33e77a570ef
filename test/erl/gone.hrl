%% gone/1: until a port is no more. One that closes writes first what it has taken; who reads at its other end before
%% makes room for that.
-compile({nowarn_unused_function, gone/1}).

gone(Port) ->
    case erlang:port_info(Port, id) of
        undefined -> ok;
        _ -> receive after 5 -> gone(Port) end
    end.
