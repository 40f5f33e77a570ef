%% The stock process inet_db, which knows how names are looked up and which modules speak to sockets. It starts, and is
%% configured as when the stock kernel starts, when its module is first needed (viv_code's gate).
-module(viv_inet).
-export([hold/0]).

%% -> the process that holds the server's name.
hold() ->
    viv_relay:become(inet_db, inet_db, fun() ->
                                               Result = viv_code:init_unseen(inet_db),
                                               _ = spawn(fun configure/0),
                                               Result
                                       end).

%% It asks the server, which has begun. Who waits for the module goes on afterwards.
configure() ->
    try
        inet_config:init()
    after
        viv_code:opened(inet_db)
    end.
