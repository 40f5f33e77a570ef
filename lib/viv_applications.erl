%% The stock application controller, started when it is first needed (viv_code's gate, viv_relay), with the kernel and
%% stdlib applications of the OTP root loaded and running. The servers of kernel are not started by its supervisor but
%% when they are asked for, so this module is the one that kernel is started with in place of the stock `kernel`.
-module(viv_applications).
-export([hold/0, start/2, stop/1]).

%% -> the process that holds the controller's name.
hold() ->
    viv_relay:start(application_controller, fun start_controller/0).

start_controller() ->
    viv_code:preload([application_controller]),
    {application, kernel, Keys} = read_specification(kernel),
    {mod, Start} = keyfind(mod, Keys),
    Kernel = {application, kernel, [{mod, {?MODULE, []}} | [Key || Key <- Keys, Key =/= {mod, Start}]]},
    {ok, Controller} = application_controller:start(Kernel),
    ok = application_controller:load_application(read_specification(stdlib)),
    ok = application_controller:start_application(kernel, permanent),
    ok = application_controller:start_application(stdlib, permanent),
    [Loaded] = ets:lookup(ac_tab, {loaded, kernel}),
    true = ets:insert(ac_tab, replace({?MODULE, []}, Start, Loaded)),
    viv_code:opened(application_controller),
    {ok, Controller, fun(Reason) -> init ! {kernel_pid, application_controller, Reason} end}.

keyfind(Key, [{Key, _} = Pair | _]) -> Pair;
keyfind(Key, [_ | Pairs]) -> keyfind(Key, Pairs).

read_specification(Name) ->
    {ok, _, Text} = viv_code:read_first(viv_code:searched(), atom_to_list(Name) ++ ".app"),
    {ok, Tokens, _} = erl_scan:string(unicode:characters_to_list(Text)),
    {ok, Specification} = erl_parse:parse_term(Tokens),
    Specification.

%% The same tuple with New wherever it has Old.
replace(Old, New, Old) -> New;
replace(Old, New, Tuple) when is_tuple(Tuple) ->
    list_to_tuple([replace(Old, New, Element) || Element <- tuple_to_list(Tuple)]);
replace(_, _, Other) -> Other.

%% Callbacks of the kernel application. Whoever looks through the applications' supervisors (release_handler) finds one.
start(_, []) -> supervisor:start_link(viv_relay, []).

stop(_) -> ok.
