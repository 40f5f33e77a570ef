%% The side of the node: one process reads what the client says, another, linked to it, does what he asked for.
%%
%%   client                                      node
%%   {viv_see, 2, Request}              --->
%%                                      <---     {viv_see, 2, {node, Facts}} or {viv_see, 2, {error, Why}}
%%                                      <---     what the request is answered by, {end, ...} as the last
%%   stop                               --->     at any time: it comes to its end
%%
%% A client that closes, closes half, goes away or says what is not understood ends the reader, and with it the worker
%% and all that it began: a trace session ends with the last reference to it, the worker's (trace:session_create/3).
%% So does one who has not said in PATIENCE what he wants.
-module(viv_see_server).
-export([serve/1]).

-define(VERSION, 2).
-define(PATIENCE, 10000). % milliseconds

-spec serve(viv_see_link:link()) -> no_return().
serve(Link) ->
    Reader = self(),
    Worker = spawn_opt(fun() -> worker(Link, Reader) end,
                       [link, {priority, high}, {message_queue_data, off_heap}]),
    {Request, Rest} = next(Link, <<>>),
    case Request of
        {viv_see, ?VERSION, What} -> begin_work(Link, What, Worker, Rest);
        {viv_see, _, _} -> refuse(Link, {version, ?VERSION});
        _ -> leave(Link)
    end.

begin_work(Link, What, Worker, Rest) ->
    case work(What) of
        {ok, Work} ->
            tell(Link, {node, facts()}),
            Worker ! {work, Work},
            listen(Link, Worker, Rest);
        {error, Why} -> refuse(Link, Why)
    end.

work(node) -> {ok, fun(_) -> ok end};
work({count, Options}) when is_map(Options) -> {ok, fun(Link) -> viv_see_count:run(Options, Link) end};
work({names, Options}) when is_map(Options) -> {ok, fun(Link) -> viv_see_names:run(Options, Link) end};
work({record, Options}) when is_map(Options) -> {ok, fun(Link) -> viv_see_record:run(Options, Link) end};
work({sample, Options}) when is_map(Options) -> {ok, fun(Link) -> viv_see_sample:run(Options, Link) end};
work({watch, Options}) when is_map(Options) -> {ok, fun(Link) -> viv_see_watch:run(Options, Link) end};
work({sum, Options}) when is_map(Options) -> {ok, fun(Link) -> viv_see_sum:run(Options, Link) end};
work({top, Options}) when is_map(Options) -> {ok, fun(Link) -> viv_see_top:run(Options, Link) end};
work({who, Options}) when is_map(Options) -> {ok, fun(Link) -> viv_see_who:run(Options, Link) end};
work({trace, Options}) when is_map(Options) -> {ok, fun(Link) -> viv_see_trace:run(Options, Link) end};
work(_) -> {error, unknown}.

%% The reader ends with the worker, and the other way about. What an option is no module checks that has no use for
%% what is wrong: it fails.
worker(Link, Reader) ->
    process_flag(sensitive, true),
    put(viv_see_known_as, Reader),
    receive
        {work, Work} ->
            try Work(Link)
            catch error:_ -> viv_see_link:tell(Link, {'end', {error, <<"the node cannot do what is asked">>}, #{}})
            end
    after ?PATIENCE -> late
    end,
    exit(shutdown).

listen(Link, Worker, Buffer) ->
    case next(Link, Buffer) of
        {stop, Rest} ->
            Worker ! stop,
            listen(Link, Worker, Rest);
        _ -> leave(Link)
    end.

%% The next frame, or the end.
next(Link, Buffer) ->
    case viv_see_frame:take(Buffer, safe) of
        {ok, Term, Rest} -> {Term, Rest};
        bad -> leave(Link);
        more ->
            case viv_see_link:recv(Link) of
                {ok, Bytes} -> next(Link, <<Buffer/binary, Bytes/binary>>);
                eof -> leave(Link)
            end
    end.

tell(Link, What) ->
    case viv_see_link:tell(Link, {viv_see, ?VERSION, What}) of
        ok -> ok;
        closed -> leave(Link)
    end.

refuse(Link, Why) ->
    tell(Link, {error, Why}),
    leave(Link).

-spec leave(viv_see_link:link()) -> no_return().
leave(Link) ->
    viv_see_link:close(Link),
    exit(shutdown).

facts() ->
    #{node => node(), process => self(), os_pid => list_to_integer(os:getpid()),
      otp => erlang:system_info(otp_release), schedulers => erlang:system_info(schedulers_online)}.
