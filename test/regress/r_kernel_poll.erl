%% Descriptors are waited for by epoll: programs look, and complain where it is not so (RabbitMQ).
-module(r_kernel_poll).
-export([main/0]).
main() -> io:format("~0p~n", [erlang:system_info(kernel_poll)]).
