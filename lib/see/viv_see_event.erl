%% What viv trace is told, on the client's side: an event, whatever it is written as.
%%
%% Times are nanoseconds of the node's system time. A node that was asked to be exact stamps with its strict monotonic
%% time, which Clock brings to that: then `order` tells apart what happened in one nanosecond, anywhere in the node, and
%% an event has the scheduler it happened on, a received message who sent it. Else they are those of the usual stamp, of
%% microseconds, and `order` is 0.
-module(viv_see_event).
-export([parse/2, fields/2, shown/1, object/2, line/2, caller/1, who/3, span/3, mark/1]).
-export_type([event/0, clock/0, fields/0]).

-type clock() :: usual | {Unit :: pos_integer(), Offset :: integer()}.
-type event() :: #{time := integer(), order := integer(), who := pid() | port(), kind := atom(), parts := [term()],
                   scheduler => non_neg_integer(), sender => pid() | undefined}.
-type fields() :: [{Name :: string(), unicode:chardata() | {list, [unicode:chardata()]}}].

-spec parse(tuple(), clock()) -> event().
parse(Raw, Clock) ->
    [trace_ts, Who, Kind | Rest] = tuple_to_list(Raw),
    stamped(Clock, Kind, lists:reverse(Rest), #{who => Who, kind => Kind}).

stamped(usual, _, [{Mega, Seconds, Micro} | Parts], Event) ->
    Event#{time => ((Mega * 1000000 + Seconds) * 1000000 + Micro) * 1000, order => 0, parts => lists:reverse(Parts)};
stamped({Unit, Offset}, Kind, [{Monotonic, Order}, Scheduler | Parts], Event) ->
    Exact = Event#{time => Monotonic * 1000000000 div Unit + Offset, order => Order, scheduler => Scheduler},
    case {Kind, Parts} of
        {'receive', [Sender, Message]} -> Exact#{parts => [Message], sender => Sender};
        _ -> Exact#{parts => lists:reverse(Parts)}
    end.

%% --- as text --------------------------------------------------------------------------------------------------------

-spec line(event(), node()) -> unicode:chardata().
line(#{time := Time, who := Who, kind := Kind, parts := Parts}, Node) ->
    [viv_see_text:clock(Time div 1000), $\s, viv_see_text:term(Who, Node), $\s, text(Kind, Parts, Node), $\n].

text(call, [Call], Node) -> ["call ", call(Call, Node)];
text(call, [Call, Caller], Node) -> ["call ", call(Call, Node), " from ", caller(Caller)];
text(return_from, [Function, Value], Node) ->
    ["return ", viv_see_text:mfa(Function), " -> ", viv_see_text:term(Value, Node)];
text(exception_from, [Function, {Class, Reason}], Node) ->
    ["raise ", viv_see_text:mfa(Function), " -> ", atom_to_list(Class), $:, viv_see_text:term(Reason, Node)];
text(send, [Message, To], Node) -> ["send ", viv_see_text:term(To, Node), " ! ", viv_see_text:term(Message, Node)];
text(send_to_non_existing_process, Parts, Node) -> ["to nobody: ", text(send, Parts, Node)];
text('receive', [Message], Node) -> ["receive ", viv_see_text:term(Message, Node)];
text(spawn, [Pid, Call], Node) -> ["spawn ", viv_see_text:term(Pid, Node), $\s, call(Call, Node)];
text(spawned, [Pid, Call], Node) -> ["spawned by ", viv_see_text:term(Pid, Node), $\s, call(Call, Node)];
text(Kind, Parts, Node) -> lists:join($\s, [atom_to_list(Kind) | [part(Part, Node) || Part <- Parts]]).

-spec caller(undefined | mfa()) -> iodata().
caller(undefined) -> "undefined";
caller(Caller) -> viv_see_text:mfa(Caller).

-spec part(term(), node()) -> unicode:chardata().
part({Module, Function, Arity}, _) when is_atom(Module), is_atom(Function), is_integer(Arity) ->
    viv_see_text:mfa({Module, Function, Arity});
part(Part, Node) -> viv_see_text:term(Part, Node).

-spec call(term(), node()) -> unicode:chardata().
call({Module, Function, Arguments}, Node) when is_list(Arguments) ->
    Shown = [viv_see_text:term(Argument, Node) || Argument <- Arguments],
    [io_lib:format("~tw:~tw(", [Module, Function]), lists:join(", ", Shown), $)];
call(Other, Node) -> part(Other, Node).

%% Of one that may have a name.
-spec who(pid() | port(), #{pid() | port() => atom()}, node()) -> unicode:chardata().
who(Who, Names, Node) ->
    [[[atom_to_binary(Name), $\s] || {ok, Name} <- [maps:find(Who, Names)]], viv_see_text:term(Who, Node)].

%% What a span is called that is no scheduler's: those of viv_see_spans.
-spec span(calls | runs | collections, term(), node()) -> unicode:chardata().
span(calls, Function, _) -> viv_see_text:mfa(Function);
span(runs, 0, _) -> "runs";
span(runs, Place, Node) -> part(Place, Node);
span(collections, Kind, _) -> [atom_to_list(Kind), " collection"].

%% What an event is called that is no span's.
-spec mark(event()) -> unicode:chardata().
mark(#{kind := call, parts := [Function | _]}) -> viv_see_text:mfa(Function);
mark(#{kind := Kind}) -> atom_to_binary(Kind).

%% --- as fields ------------------------------------------------------------------------------------------------------

%% What there is beside time, process and event; always the same ones of one kind, but for a caller.
-spec fields(event(), node()) -> fields().
fields(#{kind := Kind, parts := Parts}, Node) -> fields(Kind, Parts, Node).

fields(call, [{_, _, Arguments} = Call | Caller], Node) when is_list(Arguments) ->
    [{"function", viv_see_text:mfa(Call)}, {"arguments", {list, [viv_see_text:term(A, Node) || A <- Arguments]}} |
     [{"caller", caller(C)} || C <- Caller]];
fields(return_from, [Function, Value], Node) ->
    [{"function", viv_see_text:mfa(Function)}, {"value", viv_see_text:term(Value, Node)}];
fields(exception_from, [Function, {Class, Reason}], Node) ->
    [{"function", viv_see_text:mfa(Function)}, {"class", atom_to_list(Class)},
     {"reason", viv_see_text:term(Reason, Node)}];
fields(_, Parts, Node) -> [{"parts", {list, [part(Part, Node) || Part <- Parts]}}].

%% A field's value in one line.
-spec shown(unicode:chardata() | {list, [unicode:chardata()]}) -> unicode:chardata().
shown({list, Texts}) -> lists:join(", ", Texts);
shown(Text) -> Text.

%% As an object of JSON.
-spec object(event(), node()) -> map().
object(Event = #{time := Time, who := Who, kind := Kind}, Node) ->
    Fields = [{list_to_binary(Name), value(Value)} || {Name, Value} <- fields(Event, Node)],
    maps:merge(maps:from_list(Fields), #{time_us => Time div 1000, process => bytes(viv_see_text:term(Who, Node)),
                                         event => Kind}).

value({list, Texts}) -> [bytes(Text) || Text <- Texts];
value(Text) -> bytes(Text).

bytes(Text) -> unicode:characters_to_binary(Text).
