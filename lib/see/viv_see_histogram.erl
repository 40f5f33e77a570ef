%% viv trace --hist -o FILE.html: a page with the histogram of each key, which needs nothing else to be read. The page
%% is lib/see/histogram.html with what it includes; into it goes, where it says @@DATA@@, each row as it is in .json.
-module(viv_see_histogram).
-export([page/3]).

%% Title: what was asked for. Rows: objects of viv_see_summing.
-spec page([map()], unicode:chardata(), node()) -> iodata().
page(Rows, Title, Node) ->
    [Head, Tail] = viv_page:parts('see/histogram.html', [<<"@@DATA@@">>]),
    [Head, viv_json:encode(#{node => atom_to_binary(Node), title => {text, Title}, rows => Rows}), Tail].
