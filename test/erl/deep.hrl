%% deep(Ordinary, Deep): the second in the deep run.
-compile({nowarn_unused_function, [deep/2]}).

deep(Ordinary, Deep) -> case os:getenv("DEEP") of "1" -> Deep; _ -> Ordinary end.
