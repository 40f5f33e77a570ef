%% Pages that need nothing else to be read: own files of the runtime, with data where a mark stands.
-module(viv_page).
-export([parts/2]).

%% What stands before, between and behind the marks.
-spec parts(atom(), [binary()]) -> [binary()].
parts(File, Marks) -> split(viv_code:held_file(File), Marks).

split(Page, []) -> [Page];
split(Page, [Mark | Marks]) ->
    [Before, Behind] = binary:split(Page, Mark),
    [Before | split(Behind, Marks)].
