%% What the service's answers are made by: replaced while it serves.
-module(service_page).
-export([echo/1, page/0]).

echo(Data) -> Data.
page() -> <<"twelve bytes">>.
