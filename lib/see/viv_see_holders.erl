%% What `viv who TARGET binary` shows, on the client's side, of what viv_see_binaries has found.
-module(viv_see_holders).
-export([text/2, one/2, object/2, one_object/2]).
-import(viv_see_text, [bytes/1]).

%% --- all ------------------------------------------------------------------------------------------------------------

-spec text(map(), node()) -> iodata().
text(#{memory := Memory, holders := Holders} = All, Node) ->
    [io_lib:format("~ts: ~ts of binaries: ~ts, ~ts elsewhere~n",
                   [Node, bytes(Memory), lists:join(", ", [part(Part, All) || Part <- parts()]),
                    bytes(elsewhere(All))]),
     line("share", "held", "count", "shown", "garbage", "alone", "largest", "why", "holder"),
     [row(Holder, Node) || Holder <- Holders]].

parts() -> [{processes, "processes"}, {tables, "tables"}, {ports, "ports"}, {persistent, "persistent terms"}].

part({Key, Word}, All) ->
    {Count, Share} = maps:get(Key, All),
    case Key of
        persistent -> [bytes(Share), " in ", Word];
        _ -> io_lib:format("~ts in ~w ~s", [bytes(Share), Count, Word])
    end.

%% On its way, in literals of code, or with native libraries; the parts were looked at one after the other.
elsewhere(#{memory := Memory} = All) ->
    max(0, Memory - lists:sum([element(2, maps:get(Key, All)) || {Key, _} <- parts()])).

line(Share, Held, Count, Shown, Garbage, Alone, Largest, Why, Who) ->
    io_lib:format("~8ts ~8ts ~7ts ~8ts ~8ts ~8ts ~8ts  ~-9ts ~ts~n",
                  [Share, Held, Count, Shown, Garbage, Alone, Largest, Why, Who]).

row({Kind, Id, About, Share, References, Largest, Held} = Holder, Node) ->
    Who = who(Kind, Id, About, Node),
    case Held of
        {Bytes, Count, Shown, Garbage, _, Alone} ->
            line(bytes(Share), bytes(Bytes), integer_to_list(Count), bytes(Shown), bytes(Garbage), bytes(Alone),
                 bytes(Largest), why(Holder), Who);
        _ ->
            line(bytes(Share), "-", integer_to_list(References), "-", "-", "-", bytes(Largest), why(Holder), Who)
    end.

%% The reason for most of what it holds. Half of it is most; parts keep more than four times what they are.
why({process, _, _, _, _, _, {Bytes, _, Shown, Garbage, Messages, _}}) ->
    if
        2 * Garbage > Bytes -> "garbage";
        2 * Messages > Bytes -> "messages";
        4 * Shown < Bytes - Garbage -> "parts";
        true -> "needed"
    end;
why({process, _, _, _, _, _, no_answer}) -> "no answer";
why({process, _, _, _, _, _, too_many}) -> "too many";
why({process, _, _, _, _, _, none}) -> "ended";
why(_) -> "-".

who(process, Pid, {Name, Initial, Current}, Node) ->
    [viv_see_text:term(Pid, Node), [[$\s, viv_see_text:name(Name)] || Name =/= none],
     [[$\s, viv_see_text:mfa(Initial)] || is_tuple(Initial)],
     [[" in ", viv_see_text:mfa(Current)] || is_tuple(Current)]];
who(table, Table, {Name, Owner}, Node) ->
    ["table ", viv_see_text:term(Name, Node), [[$\s, viv_see_text:term(Table, Node)] || Table =/= Name], " of ",
     viv_see_text:term(Owner, Node)];
who(port, Port, {Name, Owner}, Node) ->
    ["port ", viv_see_text:term(Port, Node), $\s, viv_see_text:name(Name), " of ", viv_see_text:term(Owner, Node)].

%% --- one ------------------------------------------------------------------------------------------------------------

-spec one(map(), node()) -> iodata().
one(#{kind := process, held := Held, count := Count, shown := Shown, garbage := Garbage, messages := Messages,
      alone := Alone, heap := Heap, binaries := Binaries} = Holder, Node) ->
    {Young, YoungMost, Old, OldMost, Minor, MinorMost} = Heap,
    [io_lib:format("~ts~nholds ~ts in ~w binaries (~ts by messages), shows ~ts of them; ~ts are nobody else's~n"
                   "a collection would let go of ~ts~n"
                   "one comes when young binaries are ~ts (~ts now); a major one when old ones are ~ts (~ts), or after "
                   "~w minor ones (~w)~n",
                   [who_of(Holder, Node), bytes(Held), Count, bytes(Messages), bytes(Shown), bytes(Alone),
                    bytes(Garbage), bytes(YoungMost), bytes(Young), bytes(OldMost), bytes(Old), MinorMost, Minor]),
     [binary_line("bytes", "shown", "references", "others", "age", "by") || Binaries =/= []],
     [binary_line(bytes(Bytes), bytes(Part), integer_to_list(References), integer_to_list(Others), atom_to_list(Age),
                  atom_to_list(By))
      || {Bytes, Part, References, Others, By, Age} <- Binaries],
     [io_lib:format("... ~w in all~n", [Count]) || Count > length(Binaries)]];
one(#{kind := table, share := Share, references := References, largest := Largest, objects := Objects,
      owner_name := Name} = Holder, Node) ->
    io_lib:format("~ts~ts~nits share is ~ts: ~w references in ~w objects; the largest binary has ~ts~n",
                  [who_of(Holder, Node), [[$\s, viv_see_text:name(Name)] || Name =/= none], bytes(Share), References,
                   Objects, bytes(Largest)]).

who_of(#{kind := Kind, id := Id, about := About}, Node) -> who(Kind, Id, About, Node).

binary_line(Bytes, Shown, References, Others, Age, By) ->
    io_lib:format("~8ts ~8ts  ~10ts ~7ts  ~-5ts  ~ts~n", [Bytes, Shown, References, Others, Age, By]).

%% --- JSON -----------------------------------------------------------------------------------------------------------

-spec object(map(), node()) -> map().
object(#{memory := Memory, holders := Holders} = All, Node) ->
    Sums = maps:from_list([{Key, element(2, maps:get(Key, All))} || {Key, _} <- parts()]),
    Sums#{memory => Memory, elsewhere => elsewhere(All), holders => [holder(Holder, Node) || Holder <- Holders]}.

holder({Kind, Id, About, Share, References, Largest, Held} = Holder, Node) ->
    Fields = (described(Kind, Id, About, Node))#{share => Share, references => References, largest => Largest},
    case {Kind, Held} of
        {process, {Bytes, Count, Shown, Garbage, Messages, Alone}} ->
            Fields#{held => Bytes, count => Count, shown => Shown, garbage => Garbage, alone => Alone,
                    messages => Messages, why => list_to_binary(why(Holder))};
        {process, _} -> Fields#{why => list_to_binary(why(Holder))};
        _ -> Fields
    end.

described(process, Pid, {Name, Initial, Current}, Node) ->
    maps:from_list([{kind, process}, {id, binary(viv_see_text:term(Pid, Node))}] ++ [{name, Name} || Name =/= none] ++
                       [{Key, binary(viv_see_text:mfa(MFA))}
                        || {Key, {_, _, _} = MFA} <- [{initial_call, Initial}, {current_function, Current}]]);
described(Kind, Id, {Name, Owner}, Node) ->
    #{kind => Kind, id => binary(viv_see_text:term(Id, Node)), name => Name,
      owner => binary(viv_see_text:term(Owner, Node))}.

-spec one_object(map(), node()) -> map().
one_object(#{kind := Kind, id := Id, about := About} = Holder, Node) ->
    Figures = maps:with([held, count, shown, garbage, messages, alone, share, references, largest, objects], Holder),
    Object = maps:merge(described(Kind, Id, About, Node), Figures),
    case Holder of
        #{binaries := Binaries, heap := {Young, YoungMost, Old, OldMost, Minor, MinorMost}} ->
            Object#{young => Young, young_most => YoungMost, old => Old, old_most => OldMost,
                    minor_collections => Minor, minor_most => MinorMost,
                    binaries => [#{bytes => Bytes, shown => Shown, references => References, others => Others, by => By,
                                   age => Age} || {Bytes, Shown, References, Others, By, Age} <- Binaries]};
        _ -> Object
    end.

binary(Text) -> unicode:characters_to_binary(Text).
