%% What a flight recorder has left, whole and cut.
-module(viv_see_recorded_tests).
-include_lib("eunit/include/eunit.hrl").

text() -> <<"viv recorder\t1\nwritten\t2000\nevents\tsched\tgc\nrecords\t1024\nring\t1\t7\t2\n", (events())/binary>>.

events() -> <<"900\t1\t<0.9.0>\tran\t15\tm:f/1\twaits\n800\t1\t<0.9.0>\tminor\t40\t-3\n"
              "850\t1\t-\tspawn\t<0.10.0>\t-\n950\t1\t<0.9.0>\truns\t5\n960\t1\t<0.9.0>\texit\t'\303\244'\n"
              "961\t1\t<0.9.0>\tregister\ta\t<0.9.0>\n962\t2\t<0.9.0>\tsend\t<0.8.0>\thello\n">>.

read(Text) -> read_parts([Text]).

read_parts(Parts) ->
    Whole = lists:foldl(fun viv_see_recorded:add/2, viv_see_recorded:new(), Parts),
    case viv_see_recorded:told(Whole) of
        {ok, Told = #{passed_over := Others}} ->
            {Events, Records} = viv_see_recorded:fold(fun(Event, Before) -> [Event | Before] end, [], Whole),
            Told#{events => lists:reverse(Events), passed_over => Others + Records};
        Error -> Error
    end.

parts(Text, Size) when byte_size(Text) =< Size -> [Text];
parts(Text, Size) ->
    <<Part:Size/binary, Rest/binary>> = Text,
    [Part | parts(Rest, Size)].

whole_test() ->
    #{events := Events, written := 2000, rings := [{7, 2}], passed_over := 0} = read(text()),
    ?assertEqual([{800, 1, <<"<0.9.0>">>, <<"minor">>, [40, -3]},
                  {850, 1, <<"-">>, <<"spawn">>, [<<"<0.10.0>">>, <<"-">>]},
                  {900, 1, <<"<0.9.0>">>, <<"ran">>, [15, <<"m:f/1">>, <<"waits">>]},
                  {950, 1, <<"<0.9.0>">>, <<"runs">>, [5]},
                  {960, 1, <<"<0.9.0>">>, <<"exit">>, [<<"'\303\244'">>]},
                  {961, 1, <<"<0.9.0>">>, <<"register">>, [<<"a">>, <<"<0.9.0>">>]},
                  {962, 2, <<"<0.9.0>">>, <<"send">>, [<<"<0.8.0>">>, <<"hello">>]}], Events).

%% In parts of any size, as they come.
parts_test() ->
    Text = text(),
    [?assertEqual({Size, read(Text)}, {Size, read_parts(parts(Text, Size))}) || Size <- lists:seq(1, byte_size(Text))].

%% Rings one behind the other, one of them shared by threads that came too late with what they noted; of one time some.
merged_test() ->
    Lines = [{N * N rem 50 + 10 * Ring, Ring, N} || Ring <- [1, 2, 0], N <- lists:seq(1, 500)],
    Text = [io_lib:format("~w\t~w\t<0.~w.0>\tregister\tn~w\t-\n", [Time, Ring, N rem 7, N])
            || {Time, Ring, N} <- Lines],
    #{events := Events, passed_over := 0} = read(iolist_to_binary(["viv recorder\t1\n", Text])),
    Right = [{Time, Ring, iolist_to_binary(["<0.", integer_to_list(N rem 7), ".0>"]), <<"register">>,
              [<<"n", (integer_to_binary(N))/binary>>, <<"-">>]} || {Time, Ring, N} <- Lines],
    ?assertEqual(lists:sort(Right), Events).

%% Cut anywhere: there is what is whole, and what is not is one line, unless the cut is between two.
cut_test() ->
    Text = text(),
    First = byte_size(<<"viv recorder\t1\n">>),
    [?assertEqual({error, nothing}, read(binary:part(Text, 0, At))) || At <- lists:seq(0, First - 1)],
    [begin
         Part = binary:part(Text, 0, At),
         #{events := Events, passed_over := PassedOver} = read(Part),
         Ends = length(binary:matches(Part, <<"\n">>)),
         ?assertEqual({At, max(0, Ends - 5)}, {At, length(Events)}),
         ?assertEqual({At, binary:last(Part) =/= $\n}, {At, PassedOver =:= 1})
     end || At <- lists:seq(First, byte_size(Text))].

%% What is no line, however long, is passed over as one.
endless_test() ->
    Zeros = binary:copy(<<0>>, 100000),
    #{events := Events} = read(text()),
    ?assertMatch(#{events := Events, passed_over := 1}, read_parts([text() | lists:duplicate(100, Zeros)])),
    ?assertMatch(#{events := Events, passed_over := 1},
                 read_parts([<<"viv recorder\t1\n">>, Zeros, Zeros, <<0, "\n">>, events()])).

damaged_test_() ->
    [?_assertMatch({Line, #{events := [_, _, _, _, _, _, _], rings := [_], passed_over := 1}},
                   {Line, read(<<(text())/binary, Line/binary, "\n">>)})
     || Line <- [<<>>, <<"\t">>, <<"x">>, <<"ring\t1\t">>, <<"ring\t1\t\t">>, <<"ring\t1\t2\tx">>, <<"records">>,
                 <<"written">>, <<"written\tsoon">>, <<"written\t-1">>, <<"7">>, <<"7\t1\t<0.9.0>">>,
                 <<"7\t1\t<0.9.0>\tran">>, <<"7\t1\t<0.9.0>\tran\t\tm:f/1\tends">>, <<"7\t1\t<0.9.0>\truns\t">>,
                 <<"7\t1\t<0.9.0>\texit\t">>, <<"7\t1\t<0.9.0>\texit">>, <<"7\t1\t<0.9.0>\texit\t\377">>,
                 <<"7\t1\t<0.9.0>\texit\ta\tb">>, <<"7\tx\t<0.9.0>\texit\ta">>, <<"7\t1\t<0.9.0>\tregister\ta">>,
                 <<"7\t1\t<0.9.0>\tdances\ta">>, <<"999999999999999999999\t1\t<0.9.0>\texit\ta">>,
                 <<"-7\t1\t<0.9.0>\texit\ta">>]].

no_time_test() ->
    ?assertMatch(#{written := unknown, events := [_ | _]}, read(<<"viv recorder\t1\n", (events())/binary>>)).

another_test() ->
    ?assertEqual({error, newer}, read(<<"viv recorder\t2\nwhatever\n">>)),
    ?assertEqual({error, nothing}, read(<<"something else\n">>)).
