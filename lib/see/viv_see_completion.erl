%% viv completion: what completes viv's words in a shell, made of the tables of the commands (viv_see_command).
%%
%% Two parts: functions that say what there is, the same for both shells, and how this shell is told
%% (completion/viv.bash, completion/viv.zsh). A kind of word is for them one of: file, folder, target, pattern, name,
%% process, any (a word that cannot be completed), `words ...`; or nothing: there is none.
-module(viv_see_completion).
-export([run/1, help/0, options/0]).

help() ->
    "usage: viv completion bash|zsh\n"
    "\n"
    "Prints a script that completes the words of viv's commands in this shell: commands, options and what they take,\n"
    "the nodes of this machine, and names that a node knows. An installed viv has it in PREFIX/share;\n"
    "\n"
    "  source <(viv completion bash)\n"
    "\n"
    "has it without that (in zsh: viv completion zsh >DIR/_viv, for a DIR of $fpath).\n".

options() -> #{}.

run(["bash"]) -> viv_see_out:put([tables(), viv_code:held_file('completion/viv.bash')]);
run(["zsh"]) -> viv_see_out:put(["#compdef viv\n", tables(), viv_code:held_file('completion/viv.zsh')]);
run(["names", Target, Kind, Prefix]) -> names(Target, Kind, Prefix);
run([]) -> throw({usage, "bash or zsh?"});
run([Word | _]) -> throw({usage, ["bash or zsh, not ", Word]}).

%% What the scripts ask for: names that begin so, one a line.
names(Target, Kind, Prefix) ->
    Of = case Kind of
             "module" -> modules;
             "pid" -> processes;
             "port" -> ports;
             "table" -> tables;
             "binary" -> holders;
             _ -> throw({usage, ["no such names: ", Kind]})
         end,
    Request = #{of_kind => Of, prefix => unicode:characters_to_binary(Prefix)},
    {Conversation, _} = viv_see_target:open(Target, {names, Request}),
    case viv_see_target:hear(Conversation) of
        {{names, Names}, _} -> viv_see_out:put([[Name, $\n] || Name <- Names]);
        {{'end', {error, Text}, _}, _} -> throw({see, Text})
    end.

%% --- what there is --------------------------------------------------------------------------------------------------

%% Commands that are no programs of lib/see: what src/init/args.c knows.
own() ->
    [{"run", #{"-pa" => folder, "-pz" => folder, "-enable-feature" => string, "-disable-feature" => string,
               "+S" => count, "+C" => {words, ["no_time_warp", "single_time_warp", "multi_time_warp"]},
               "+sbt" => bind_types(), "+stbt" => bind_types(), "+sct" => string, "+ssrct" => flag,
               "+c" => boolean(), "+JIT" => boolean(), "+JPgdb" => boolean(),
               "+JPperf" => {words, ["true", "false", "map", "dump"]}, "+P" => count, "+Q" => count,
               "+Mim" => boolean(), "+Mis" => boolean(), "+seen" => flag, "+recorder" => flag, "+zhft" => count,
               "--otp" => folder}, [file, more]},
     {"erl", #{}, [file, more]},
     {"adopt", #{"--undo" => flag}, [folder]},
     {"version", #{}, []},
     {"help", #{}, []}].

bind_types() -> {words, ["u", "ns", "ts", "ps", "s", "nnts", "nnps", "tnnps", "db"]}.
boolean() -> {words, ["true", "false"]}.

all() ->
    own() ++ [{Command, (Module:options())#{"--help" => flag}, Words}
              || {Command, Module, Words} <- viv_see_command:commands()].

tables() ->
    Commands = all(),
    ["# Completion for viv, made by `viv completion`.\n",
     "_viv_commands='", lists:join($\s, [Command || {Command, _, _} <- Commands]), "'\n",
     function("_viv_options", "$1",
              [{Command, lists:join($\s, lists:sort(maps:keys(Options)))} || {Command, Options, _} <- Commands]),
     function("_viv_value", "$1:$2",
              [{[Command, $:, Name], kind(Kind)}
               || {Command, Options, _} <- Commands, {Name, Kind} <- lists:sort(maps:to_list(Options)),
                  Kind =/= flag]),
     function("_viv_word", "$1:$2",
              [Row || {Command, _, Words} <- Commands, Row <- words(Command, Words, 1, [])])].

words(Command, [more], _, [{_, Last} | _] = Rows) -> lists:reverse(Rows, [{[Command, ":*"], Last}]);
words(Command, [Kind | Kinds], N, Rows) ->
    words(Command, Kinds, N + 1, [{[Command, $:, integer_to_list(N)], kind(Kind)} | Rows]);
words(_, [], _, Rows) -> lists:reverse(Rows).

kind({many, Kind}) -> kind(Kind);
kind({words, Words}) -> ["words ", lists:join($\s, Words)];
kind(Kind) when Kind =:= string; Kind =:= count; Kind =:= time -> "any";
kind(Kind) -> atom_to_list(Kind).

%% A function of the shell that prints a text for a word; plain words only.
function(Name, Of, Rows) ->
    [Name, "() {\n    case \"", Of, "\" in\n",
     [["    ", Case, ") printf '%s\\n' '", Text, "' ;;\n"] || {Case, Text} <- Rows], "    esac\n}\n"].
