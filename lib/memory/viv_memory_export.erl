%% instrument:export/2: live memory for tools that people have.
%%
%%   pprof    a profile of profile.proto, gzipped, as `go tool pprof` and others read it (viv_memory_pprof)
%%   heap     a heap profile as google-pprof of gperftools reads it, with names
%%   folded   a line for each stack, Class;Type;Process;Place Bytes, as scripts that draw flame graphs read it
%%
%% A stack is the place in a program where memory was asked for, called by the process that asked. Where the map tells
%% no places (instrument:start(#{sites => true})) the type stands there, in brackets. Blocks that were sampled count for
%% as many as they stand for.
-module(viv_memory_export).
-export([write/2]).
-export_type([stack/0]).

%% File and line are "" and 0 where it is no place in a program.
-type stack() :: #{type := atom(), class := atom(), process := binary(),
                   place := {Name :: binary(), File :: binary(), Line :: non_neg_integer()},
                   bytes := non_neg_integer(), blocks := non_neg_integer()}.

%% False: the map is off, or was stopped meanwhile.
-spec write(file:name_all(), pprof | heap | folded) -> ok | false | {error, file:posix() | badarg}.
write(File, Format) when Format =:= pprof; Format =:= heap; Format =:= folded ->
    Began = erlang:system_time(nanosecond),
    case stacks() of
        false -> false;
        Stacks ->
            Data = encoded(Format, Stacks, Began),
            viv_memory_file:replace(File, fun(Device) -> file:write(Device, Data) end)
    end;
write(File, Format) -> erlang:raise(error, badarg, [{instrument, export, [File, Format], []}]).

encoded(pprof, Stacks, Began) -> viv_memory_pprof:encode(Stacks, Began, sampled_bytes(), comments());
encoded(heap, Stacks, _) -> heap(Stacks);
encoded(folded, Stacks, _) -> [folded(Stack) || Stack <- Stacks].

%% One for each type, process and place, the largest first.
stacks() ->
    Add = fun({Type, _, Bytes, Owner, Site, Shift}, Sums) ->
                  Key = {Type, Owner, Site},
                  Weight = viv_memory_map:weight(Bytes, Shift),
                  case Sums of
                      #{Key := {B, N}} -> Sums#{Key := {B + Bytes * Weight, N + Weight}};
                      _ -> Sums#{Key => {Bytes * Weight, Weight}}
                  end
          end,
    case viv_memory_map:fold(Add, #{}) of
        {ok, Sums} -> named(Sums);
        false -> false
    end.

named(Sums) ->
    Types = list_to_tuple([{Type, Class} || {Type, Class, _} <- viv_memory_map:types()]),
    Named = fun(Key) -> maps:from_keys([element(Key, K) || K <- maps:keys(Sums)], true) end,
    Processes = maps:map(fun(Owner, _) -> process(Owner) end, Named(2)),
    Places = maps:map(fun(Site, _) -> viv_memory_map:site(Site) end, Named(3)),
    Stacks = [stack(element(Type + 1, Types), map_get(Owner, Processes), map_get(Site, Places), Sum)
              || {{Type, Owner, Site}, Sum} <- maps:to_list(Sums)],
    lists:sort(fun(A, B) -> order(A) =< order(B) end, Stacks).

order(#{bytes := Bytes} = Stack) -> {-Bytes, Stack}.

stack({Type, Class}, Process, Place, {Bytes, Blocks}) ->
    #{type => Type, class => Class, process => Process, place => place(Place, Type),
      bytes => round(Bytes), blocks => round(Blocks)}.

place(undefined, Type) -> {<<"[", (atom_to_binary(Type))/binary, "]">>, <<>>, 0};
place({Module, Function, Arity, Line}, _) ->
    Name = iolist_to_binary([atom_to_binary(Module), $:, atom_to_binary(Function), $/, integer_to_binary(Arity)]),
    {Name, <<(atom_to_binary(Module))/binary, ".erl">>, Line}.

%% Those that have no name are told by their pid, as it is here and now.
process(undefined) -> <<"no process">>;
process(Pid) ->
    case process_info(Pid, registered_name) of
        {registered_name, Name} -> atom_to_binary(Name);
        _ -> list_to_binary(pid_to_list(Pid))
    end.

%% 1: all blocks are in it.
sampled_bytes() -> 1 bsl element(5, viv_memory_map:figures()).

comments() ->
    {_, _, _, _, Shift, Blocks, Bytes} = viv_memory_map:figures(),
    Sampled = [io_lib:format("estimated: by the end one block was drawn in ~b bytes", [1 bsl Shift]) || Shift > 0],
    Missed = [io_lib:format("not in it: ~b bytes in ~b blocks", [Bytes, Blocks]) || Blocks > 0],
    [unicode:characters_to_binary(Text) || Text <- Sampled ++ Missed].

%% Words of a stack are parted by semicolons, and its weight by a blank.
folded(#{class := Class, type := Type, process := Process, place := {Name, File, _}, bytes := Bytes}) ->
    Frames = [atom_to_binary(Class), atom_to_binary(Type), Process | [Name || File =/= <<>>]],
    [lists:join($;, [re:replace(Frame, "[;\\s]", "_", [global, unicode]) || Frame <- Frames]),
     $\s, integer_to_binary(Bytes), $\n].

%% --- google-pprof ---------------------------------------------------------------------------------------------------

%% Addresses are made up: each name has one.
-define(FIRST_ADDRESS, 16#1000).

heap(Stacks) ->
    Names = lists:usort(lists:append([[Process, Name] || #{process := Process, place := {Name, _, _}} <- Stacks])),
    Addresses = maps:from_list([{Name, Address} || {Address, Name} <- lists:enumerate(?FIRST_ADDRESS, Names)]),
    Sum = fun(Key) -> lists:sum([map_get(Key, Stack) || Stack <- Stacks]) end,
    ["--- symbol\nbinary=viv\n", [symbol(Name, map_get(Name, Addresses)) || Name <- Names],
     "---\nheap profile: ", heap_counts(Sum(blocks), Sum(bytes)), " @ heapprofile\n",
     [heap_line(Stack, Addresses) || Stack <- Stacks]].

%% It takes what stands between < and > for arguments of a C++ template, and leaves it out.
symbol(Name, Address) -> [hex(Address), $\s, re:replace(Name, "[<>\\s]", "_", [global, unicode]), $\n].

heap_line(#{process := Process, place := {Name, _, _}, bytes := Bytes, blocks := Blocks}, Addresses) ->
    [heap_counts(Blocks, Bytes), " @ ", hex(map_get(Name, Addresses)), $\s, hex(map_get(Process, Addresses)), $\n].

heap_counts(Blocks, Bytes) -> io_lib:format("~b: ~b [~b: ~b]", [Blocks, Bytes, Blocks, Bytes]).

hex(Address) -> io_lib:format("0x~16.16.0b", [Address]).
