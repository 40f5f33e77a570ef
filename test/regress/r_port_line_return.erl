%% Lines of a port end with a newline, or with a return and a newline; a return alone is text, and one that comes last
%% waits for what follows it.
-module(r_port_line_return).
-export([main/0]).

main() ->
    [at_once(L, T) || L <- [1, 2, 4, 5, 6, 100],
                      T <- ["ab\\r\\ncd\\re\\r\\n", "\\r\\n\\r\\n\\r\\r\\n", "abcd\\r\\n", "abcde\\r\\n", "abcdef\\r\\n", "abc\\r\\r\\n",
                            "\\r", "a\\r", "abcde\\r", "abcde\\rx\\n", "abcdefghij\\r\\n", "\\n", "\\r\\n", "\\r\\rx", ""]],
    [in_parts(L, A, B) || L <- [1, 3, 4, 100], {A, B} <- [{"ab\\r", "\\ncd"}, {"abc\\r", "\\nx\\n"}, {"abc\\r", "d\\n"},
                                                          {"\\r", "\\r\\n"}, {"abcd\\r", "\\r"}, {"abc", "\\r\\n"}]],
    ok.

at_once(L, Text) -> show(L, Text, ["printf '" ++ Text ++ "'"]).
in_parts(L, A, B) -> show(L, {A, B}, ["printf '" ++ A ++ "'; sleep 0.05; printf '" ++ B ++ "'"]).

show(L, What, Command) ->
    P = open_port({spawn_executable, "/bin/sh"}, [{args, ["-c" | Command]}, {line, L}, eof, binary]),
    io:format("~p ~p ~p~n", [L, What, told(P)]),
    port_close(P).

told(P) ->
    receive
        {P, {data, Data}} -> [Data | told(P)];
        {P, eof} -> [eof]
    after 60000 -> [nothing]
    end.
