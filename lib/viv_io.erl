%% The I/O protocol on file descriptors: `user`, the group leader of the first process, on standard input and output,
%% and `standard_error`. Source of the protocol: "The Erlang I/O Protocol", stdlib user's guide.
%%
%% Input is kept as bytes that have been read and not yet asked for (front, then back). A request is answered before the
%% next one is taken, so output comes in the order of requests, and put_chars returns when the bytes are with the
%% operating system.
-module(viv_io).
-export([start/0, serve/3, write_all/2, flush/0]).
-export([write/2, wait/1, read/2, format_term/1]).

-record(state, {in, out, front = <<>>, back = <<>>, encoding = latin1, mode = list, echo = true}).

-define(CHUNK, 65536).
-define(AT_ONCE, 512).

write(_Fd, _Data) -> erlang:nif_error(undef).  % -> {ok, Left} | {error, Reason}
wait(_Fd) -> erlang:nif_error(undef).          % -> ok: it can be read, or tells what is wrong
read(_Fd, _Size) -> erlang:nif_error(undef).   % -> {ok, Binary} | eof | {error, Reason}

format_term(_Term) -> erlang:nif_error(undef). % -> Binary, as erlang:display/1 shows it

%% -> the pid of `user`
start() ->
    Encoding = encoding(os:getenv("LC_ALL"), os:getenv("LC_CTYPE"), os:getenv("LANG")),
    _ = server(standard_error, #state{in = none, out = 2, encoding = Encoding}),
    server(user, #state{in = 0, out = 1, encoding = Encoding}).

%% A server on two file descriptors; In is `none` where there is no input. It is linked to the caller.
serve(In, Out, Encoding) ->
    spawn_link(fun() -> loop(#state{in = In, out = Out, encoding = Encoding}) end).

server(Name, State) ->
    Parent = self(),
    Pid = spawn(fun() ->
                        register(Name, self()),
                        process_flag(trap_exit, true),
                        Parent ! {self(), ready},
                        loop(State)
                end),
    receive {Pid, ready} -> Pid end.

encoding(false, false, false) -> latin1;
encoding(false, false, Lang) -> by_name(Lang);
encoding(false, Type, _) -> by_name(Type);
encoding(All, _, _) -> by_name(All).

%% Is UTF-8 named in a locale?
by_name([U, T, F, $- | _]) when U bor 32 =:= $u, T bor 32 =:= $t, F bor 32 =:= $f -> unicode;
by_name([U, T, F, $8 | _]) when U bor 32 =:= $u, T bor 32 =:= $t, F bor 32 =:= $f -> unicode;
by_name([_ | Rest]) -> by_name(Rest);
by_name([]) -> latin1.

%% Waits until what was sent to `user` before is written.
flush() ->
    case whereis(user) of
        undefined -> ok;
        Pid ->
            Ref = monitor(process, Pid),
            Pid ! {io_request, self(), Ref, getopts},
            receive
                {io_reply, Ref, _} -> demonitor(Ref, [flush]), ok;
                {'DOWN', Ref, _, _, _} -> ok
            end
    end.

loop(State0) ->
    receive
        {io_request, From, ReplyAs, Request} when is_pid(From) ->
            {Reply, State} = request(Request, State0),
            From ! {io_reply, ReplyAs, Reply},
            loop(State);
        _ ->
            loop(State0)
    end.

request({put_chars, Encoding, Chars}, State) ->
    put_chars(Chars, Encoding, State);
request({put_chars, Encoding, M, F, A}, State) ->
    try apply(M, F, A) of
        Chars -> put_chars(Chars, Encoding, State)
    catch
        _:_ -> {{error, F}, State}
    end;
request({put_chars, Chars}, State) ->
    put_chars(Chars, latin1, State);
request({put_chars, M, F, A}, State) ->
    request({put_chars, latin1, M, F, A}, State);
request(getopts, State) ->
    {options(State), State};
request({setopts, Options}, State) ->
    case set_options(Options, State) of
        {ok, _} = Done -> Done;
        Failed -> {Failed, State}
    end;
request({get_geometry, _}, State) ->
    {{error, enotsup}, State};
request({requests, Requests}, State) ->
    requests(Requests, {ok, State});
request(_, State = #state{in = none}) ->
    {{error, enotsup}, State};
request({get_line, Encoding, Prompt}, State) ->
    input(Prompt, Encoding, fun line/2, start, State);
request({get_chars, Encoding, Prompt, N}, State) when is_integer(N), N >= 0 ->
    input(Prompt, Encoding, fun chars/2, {N, []}, State);
request({get_until, Encoding, Prompt, M, F, A}, State) ->
    get_until(Prompt, Encoding, M, F, A, State);
request({get_line, Prompt}, State) ->
    request({get_line, latin1, Prompt}, State);
request({get_chars, Prompt, N}, State) ->
    request({get_chars, latin1, Prompt, N}, State);
request({get_until, Prompt, M, F, A}, State) ->
    request({get_until, latin1, Prompt, M, F, A}, State);
request({get_password, _}, State) ->
    {{error, enotsup}, State};
request(_, State) ->
    {{error, request}, State}.

requests([Request | Requests], {ok, State}) ->
    requests(Requests, request(Request, State));
requests([_ | _], {{error, _}, _} = Failed) -> Failed;
requests([Request | Requests], {_, State}) ->
    requests(Requests, request(Request, State));
requests([], Result) -> Result.

options(#state{in = none, encoding = Encoding}) ->
    [{encoding, Encoding}];
options(#state{mode = Mode, encoding = Encoding, echo = Echo}) ->
    [{expand_fun, fun(_) -> {no, "", []} end}, {echo, Echo}, {binary, Mode =:= binary}, {encoding, Encoding}].

set_options([binary | T], State) -> set_options(T, State#state{mode = binary});
set_options([list | T], State) -> set_options(T, State#state{mode = list});
set_options([{binary, true} | T], State) -> set_options(T, State#state{mode = binary});
set_options([{binary, false} | T], State) -> set_options(T, State#state{mode = list});
set_options([{encoding, E} | T], State) when E =:= latin1; E =:= unicode ->
    set_options(T, State#state{encoding = E});
set_options([{encoding, utf8} | T], State) -> set_options(T, State#state{encoding = unicode});
set_options([{echo, Echo} | T], State) when is_boolean(Echo) -> set_options(T, State#state{echo = Echo});
set_options([{expand_fun, F} | T], State) when is_function(F) -> set_options(T, State);
set_options([], State) -> {ok, State};
set_options(_, _) -> {error, enotsup}.

%% Output. A device that does latin1 shows what it cannot as \x{...}, as the stock `user` does.
put_chars(Chars, Encoding, State = #state{encoding = Device, out = Fd}) ->
    try to_bytes(Chars, Encoding, Device) of
        Bytes when is_binary(Bytes) ->
            {write_all(Fd, Bytes), State};
        _ ->
            {{error, {no_translation, Encoding, Device}}, State}
    catch
        _:_ -> {{error, {put_chars, Encoding, Chars}}, State}
    end.

to_bytes(Chars, latin1, latin1) ->
    iolist_to_binary(Chars);
to_bytes(Chars, Encoding, unicode) ->
    case unicode:characters_to_binary(Chars, Encoding, unicode) of
        Binary when is_binary(Binary) -> Binary;
        _ -> error(badarg)
    end;
to_bytes(Chars, unicode, latin1) ->
    case unicode:characters_to_binary(Chars, unicode, latin1) of
        Binary when is_binary(Binary) -> Binary;
        {error, Before, Rest} -> <<Before/binary, (escape(unicode:characters_to_list(Rest)))/binary>>;
        _ -> error(badarg)
    end.

escape(Chars) ->
    << <<(if C < 256 -> <<C>>;
             true -> <<"\\x{", (integer_to_binary(C, 16))/binary, "}">>
          end)/binary>> || C <- Chars >>.

%% -> ok | {error, Reason}
write_all(_, <<>>) -> ok;
write_all(Fd, Bytes) ->
    case write(Fd, Bytes) of
        {ok, N} when N =:= byte_size(Bytes) -> ok;
        {ok, N} ->
            <<_:N/binary, Rest/binary>> = Bytes,
            write_all(Fd, Rest);
        {error, _} = Error -> Error
    end.

%% Input. Step(Characters or eof, Progress) -> {done, Result, Characters left over or eof} | {more, Progress}.
input(Prompt, Encoding, Step, Progress, State) ->
    case prompt(Prompt, State) of
        ok -> input_loop(Encoding, Step, Progress, State);
        Error -> {Error, State}
    end.

input_loop(Encoding, Step, Progress, State0) ->
    case next(State0) of
        {error, Reason, State} ->
            {{error, Reason}, State};
        {Input, State = #state{front = Tail}} ->
            case Step(Input, Progress) of
                {done, Result, Rest} when Rest =:= eof; Rest =:= [] -> {result(Result, Encoding, State), State};
                {done, Result, Rest} ->
                    Left = <<(encode(Rest, State))/binary, Tail/binary>>,
                    {result(Result, Encoding, State), State#state{front = Left}};
                {more, Next} ->
                    input_loop(Encoding, Step, Next, State)
            end
    end.

%% The next characters, a line at most, so that what is left over of them is little: `front`, then `back`.
next(State = #state{front = <<>>, back = <<>>}) ->
    read_more(State);
next(State = #state{front = Front, back = Back}) ->
    {Bytes, After} = case Front of
                         <<>> -> first_line(Back);
                         _ -> {Front, Back}
                     end,
    case decode(Bytes, State) of
        {error, Reason} -> {error, Reason, State#state{front = <<>>, back = After}};
        {[], Tail} when After =:= <<>> -> read_more(State#state{front = Tail, back = <<>>});
        {[], Tail} ->
            {More, Rest} = first_line(After),
            next(State#state{front = <<Tail/binary, More/binary>>, back = Rest});
        {Chars, Tail} -> {Chars, State#state{front = Tail, back = After}}
    end.

first_line(Bytes) ->
    Some = case byte_size(Bytes) of
               Size when Size < ?AT_ONCE -> Size;
               _ -> ?AT_ONCE
           end,
    N = case binary:match(Bytes, <<"\n">>, [{scope, {0, Some}}]) of
            {At, 1} -> At + 1;
            nomatch -> Some
        end,
    <<Line:N/binary, Rest/binary>> = Bytes,
    {Line, Rest}.

%% No thread waits for input, which may never come.
read_more(State = #state{in = Fd, front = Front}) ->
    ok = wait(Fd),
    case read(Fd, ?CHUNK) of
        {ok, Bytes} -> next(State#state{back = Bytes});
        eof when Front =:= <<>> -> {eof, State};
        eof -> {error, {no_translation, unicode, unicode}, State#state{front = <<>>}};
        {error, Reason} -> {error, Reason, State}
    end.

decode(Bytes, #state{encoding = latin1}) ->
    {binary_to_list(Bytes), <<>>};
decode(Bytes, #state{encoding = unicode}) ->
    case unicode:characters_to_list(Bytes) of
        Chars when is_list(Chars) -> {Chars, <<>>};
        {incomplete, Chars, Tail} -> {Chars, Tail};
        {error, _, _} -> {error, {no_translation, unicode, unicode}}
    end.

encode(Chars, #state{encoding = latin1}) -> list_to_binary(Chars);
encode(Chars, _) -> unicode:characters_to_binary(Chars).

result(Chars, Encoding, #state{mode = binary}) when is_list(Chars) ->
    case unicode:characters_to_binary(Chars, unicode, Encoding) of
        Binary when is_binary(Binary) -> Binary;
        _ -> {error, {no_translation, unicode, Encoding}}
    end;
result(Chars, latin1, _) when is_list(Chars) ->
    case [C || C <- Chars, is_integer(C), C > 255] of
        [] -> Chars;
        _ -> {error, {no_translation, unicode, latin1}}
    end;
result(Result, _, _) -> Result.

%% A line, its newline included; a carriage return before it is not.
line(eof, start) -> {done, eof, eof};
line(eof, Line) -> {done, reverse(Line, []), eof};
line(Chars, start) -> line(Chars, []);
line([$\n | Rest], [$\r | Line]) -> {done, reverse(Line, [$\n]), Rest};
line([$\n | Rest], Line) -> {done, reverse(Line, [$\n]), Rest};
line([C | Rest], Line) -> line(Rest, [C | Line]);
line([], []) -> {more, start};
line([], Line) -> {more, Line}.

chars(eof, {N, []}) when N > 0 -> {done, eof, eof};
chars(eof, {_, Got}) -> {done, reverse(Got, []), eof};
chars(Rest, {0, Got}) -> {done, reverse(Got, []), Rest};
chars([C | Rest], {N, Got}) -> chars(Rest, {N - 1, [C | Got]});
chars([], Progress) -> {more, Progress}.

get_until(Prompt, Encoding, M, F, A, State) ->
    Step = fun(Chars, Continuation) ->
                   case apply(M, F, [Continuation, Chars | A]) of
                       {done, Result, eof} -> {done, Result, eof};
                       {done, Result, Rest} -> {done, Result, Rest};
                       {more, Next} -> {more, Next}
                   end
           end,
    try input(Prompt, Encoding, Step, [], State) of
        Answer -> Answer
    catch
        _:_ -> {{error, F}, State#state{front = <<>>, back = <<>>}}
    end.

prompt('', _) -> ok;
prompt("", _) -> ok;
prompt({format, Format, Args}, State) ->
    {Result, _} = put_chars(io_lib:format(Format, Args), unicode, State),
    Result;
prompt(Prompt, State) when is_atom(Prompt) ->
    prompt(atom_to_list(Prompt), State);
prompt(Prompt, State) ->
    {Result, _} = put_chars(Prompt, unicode, State),
    Result.

reverse([H | T], Tail) -> reverse(T, [H | Tail]);
reverse([], Tail) -> Tail.
