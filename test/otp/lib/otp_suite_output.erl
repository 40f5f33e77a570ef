%% The group leader of suites, one for all the time that a suite runs: what is printed is dropped, or kept while a case
%% captures it (ct:capture_start/0). What is read is at its end.
-module(otp_suite_output).
-export([start/0, capture/1, captured/0]).

start() -> spawn_link(fun() -> loop(none) end).

capture(Whether) -> ask({capture, Whether}).

%% What was printed since, a text for each request; all of it once.
captured() -> ask(captured).

ask(What) ->
    Tag = make_ref(),
    group_leader() ! {What, self(), Tag},
    receive {Tag, Answer} -> Answer after 5000 -> exit({no_answer_about, What}) end.

%% Kept: none (nothing is captured), the texts, the last first, or {stopped, Texts}.
loop(Kept) ->
    receive
        {io_request, From, Tag, Request} ->
            {Answer, Text} = answer(Request),
            From ! {io_reply, Tag, Answer},
            loop(kept(Text, Kept));
        {{capture, true}, From, Tag} -> From ! {Tag, ok}, loop([]);
        {{capture, false}, From, Tag} -> From ! {Tag, ok}, loop(stopped(Kept));
        {captured, From, Tag} -> From ! {Tag, texts(Kept)}, loop(emptied(Kept));
        _ -> loop(Kept)
    end.

kept([], Kept) -> Kept;
kept(Text, Kept) when is_list(Kept) -> [Text | Kept];
kept(_, Kept) -> Kept.

stopped(Kept) when is_list(Kept) -> {stopped, Kept};
stopped(Kept) -> Kept.

texts({stopped, Kept}) -> lists:reverse(Kept);
texts(Kept) when is_list(Kept) -> lists:reverse(Kept);
texts(none) -> [].

emptied(Kept) when is_list(Kept) -> [];
emptied(_) -> none.

answer({put_chars, _, Text}) -> put(Text);
answer({put_chars, Text}) -> put(Text);
answer({put_chars, _, M, F, A}) -> put_applied(M, F, A);
answer({put_chars, M, F, A}) -> put_applied(M, F, A);
answer({requests, Requests}) ->
    Answers = [answer(R) || R <- Requests],
    {element(1, lists:last([{ok, []} | Answers])), lists:append([T || {_, T} <- Answers])};
answer(getopts) -> {[{binary, false}, {encoding, unicode}], []};
answer({setopts, _}) -> {ok, []};
answer({get_geometry, _}) -> {{error, enotsup}, []};
answer(R) when element(1, R) =:= get_line; element(1, R) =:= get_chars; element(1, R) =:= get_until -> {eof, []};
answer(_) -> {{error, request}, []}.

put_applied(M, F, A) ->
    case catch apply(M, F, A) of
        {'EXIT', _} -> {{error, {format, {M, F, A}}}, []};
        Text -> put(Text)
    end.

put(Text) ->
    case catch unicode:characters_to_list(Text) of
        List when is_list(List) -> {ok, List};
        _ -> {{error, {no_translation, unicode, unicode}}, []}
    end.
