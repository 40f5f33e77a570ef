%% The stock dbg, unmodified: what it prints and what its tracers hear.
-module(trace_dbg).
-export([main/0, foo/1, bar/1, fail/1, service/0]).
-include("trace.hrl").

foo(X) -> X + 1.
bar(X) -> foo(X) * 2.
fail(X) -> error({failed, X}).

service() -> receive {run, Fun, From} -> From ! {ran, try Fun() catch _:_ -> failed end}, service() end.
ask(P, Fun) -> P ! {run, Fun, self()}, receive {ran, R} -> R after 60000 -> late end.

%% What is written goes through here, without pids.
main() ->
    logger:set_primary_config(level, none),
    Old = group_leader(),
    Printer = spawn(fun() -> print(Old) end),
    group_leader(Printer, self()),
    handlers(), patterns(), flags(), modules(),
    Printer ! {stop, self()},
    receive stopped -> ok end.

print(Old) ->
    receive
        {io_request, From, As, Request} ->
            From ! {io_reply, As, write(Old, Request)},
            print(Old);
        {stop, From} ->
            From ! stopped
    end.

write(Old, {put_chars, unicode, M, F, A}) -> write(Old, {put_chars, unicode, apply(M, F, A)});
write(Old, {put_chars, unicode, Chars}) ->
    Text = unicode:characters_to_list(Chars),
    Plain = re:replace(re:replace(Text, "<[0-9]+\\.[0-9]+\\.[0-9]+> *", "P ", [global]), "#Fun<[^>]*>", "FUN", [global]),
    io:put_chars(Old, Plain);
write(_, {get_geometry, _}) -> {error, enotsup};
write(_, getopts) -> [{encoding, unicode}];
write(_, _) -> {error, request}.

handlers() ->
    P = spawn(?MODULE, service, []),
    {ok, _} = dbg:tracer(process, {fun dbg:dhandler/2, group_leader()}),
    show(again, element(1, dbg:tracer())),
    show(p, dbg:p(P, [c, m, return_to])),
    show(tpl, dbg:tpl(?MODULE, foo, x)),
    show(tp, dbg:tp(?MODULE, bar, 1, [{'_', [], [{return_trace}, {message, {caller}}]}])),
    show(tp_fail, dbg:tp({?MODULE, fail, 1}, cx)),
    [begin
         Result = ask(P, Fun),
         flushed(P),
         show(ran, Result)
     end || Fun <- [fun() -> ?MODULE:bar(1) end, fun() -> ?MODULE:fail("text") end]],
    dbg:i(),
    show(off, dbg:p(P, clear)),
    show(ran, ask(P, fun() -> ?MODULE:bar(1) end)),
    flushed(P),
    dbg:i(),
    show(stop, dbg:stop_clear()),
    show(tracer, dbg:get_tracer()),
    exit(P, kill).

%% The tracer of dbg has handled all that it was sent.
flushed(P) ->
    case dbg:get_tracer() of
        {ok, Tracer} when is_pid(Tracer) ->
            Ref = erlang:trace_delivered(P),
            receive {trace_delivered, _, Ref} -> ok end,
            quiet(),
            timer:sleep(50);
        _ ->
            quiet(),
            timer:sleep(50)
    end.

patterns() ->
    {ok, _} = dbg:tracer(process, {fun(_, N) -> N + 1 end, 0}),
    show(saved, [dbg:tpl(?MODULE, foo, 1, [{'_', [], [{return_trace}]}]), dbg:tpl(?MODULE, bar, '_', 1)]),
    dbg:ltp(),
    show(one, [dbg:ctp(?MODULE, foo), dbg:ctpl(?MODULE, foo), dbg:ctpg(?MODULE), dbg:dtp(1)]),
    dbg:ltp(),
    show(bad, [dbg:tp(?MODULE, foo, nothing_like_it), dbg:tp(no_such_module, x), dbg:tpl(?MODULE, foo, 1, [{'_'}]),
               dbg:tp({?MODULE, foo, x}, []), dbg:dtp(77)]),
    show(messages, [dbg:tpe(send, [{['_', '$1'], [], [{message, '$1'}]}]), dbg:ctpe(send), dbg:ctpe('receive')]),
    show(count, dbg:tpl(?MODULE, '_', [])),
    dbg:ctpl(),
    show(dtp, dbg:dtp()),
    dbg:stop_clear().

flags() ->
    P = spawn(?MODULE, service, []),
    register(trace_dbg_service, P),
    Me = self(),
    {ok, _} = dbg:tracer(process, {fun(M, Count) -> Me ! {heard, Count, M}, Count + 1 end, 0}),
    [begin
         show(Flags, dbg:p(Who, Flags)),
         Child = ask(P, fun() -> spawn(fun() -> receive go -> ok end end) end),
         Child ! go,
         ask(P, fun() -> erlang:garbage_collect(), ok end),
         flushed(P),
         show(heard, lists:usort([{element(1, M), element(3, M)} || M <- heard(), not is_minor(element(3, M))])),
         dbg:p(Who, clear)
     end || {Who, Flags} <- [{P, s}, {trace_dbg_service, [r, timestamp]}, {P, p}, {P, [sos, p]}, {P, garbage_collection},
                             {P, [s, monotonic_timestamp]}, {pid_to_list(P), m}]],
    show(bad, [dbg:p(P, no_such_flag), dbg:p(no_such_name, m), dbg:p(P, [m, bad]), dbg:c(?MODULE, foo, [1])]),
    dbg:stop_clear(),
    exit(P, kill).

heard() -> quiet(), hear().
hear() -> receive {heard, _, M} -> [M | hear()] after 50 -> [] end.

modules() ->
    os:putenv("TRACE_TRACER_LIBRARY", "trace_dbg"),
    P = spawn(?MODULE, service, []),
    Me = self(),
    show(module, element(1, dbg:tracer(module, {trace_tracer, {Me, #{}}}))),
    show(get_tracer, dbg:get_tracer()),
    dbg:tpl(?MODULE, foo, x),
    dbg:p(P, [c]),
    show(ran, ask(P, fun() -> ?MODULE:bar(1) end)),
    show(told, told()),
    dbg:i(),
    dbg:stop_clear(),
    show(info, erlang:trace_info(P, flags)),
    exit(P, kill).

told() -> quiet(), hear_told().
hear_told() -> receive M when element(1, M) =:= told -> [M | hear_told()]; _ -> hear_told() after 100 -> [] end.
