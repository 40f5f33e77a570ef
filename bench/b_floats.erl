%% Floating point: n-body, Mandelbrot set, matrix product, spectral norm.
-module(b_floats).
-export([group/0, benchmarks/0]).

group() -> floats.

benchmarks() ->
    [{"floats: nbody", fun() -> nbody(3000) end},
     {"floats: mandelbrot", fun() -> mandelbrot(90) end},
     {"floats: spectral norm", fun() -> spectral(100) end},
     {"floats: polynomial", fun() -> polynomial(1500000, 0.5, 0.0) end},
     {"floats: math", fun() -> trigonometry(150000, 0.0) end}].

%% Five bodies: {X, Y, Z, VX, VY, VZ, Mass}.
nbody(Steps) ->
    Bodies = [{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47},
              {4.84, -1.16, -0.10, 0.606, 2.81, -0.02, 0.037},
              {8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011},
              {12.89, -15.11, -0.22, 1.08, 0.868, -0.01, 0.0017},
              {15.37, -25.9, 0.179, 0.979, 0.594, -0.034, 0.002}],
    steps(Steps, Bodies).

steps(0, Bodies) -> Bodies;
steps(N, Bodies) -> steps(N - 1, [move(pulled(Body, Bodies)) || Body <- Bodies]).

pulled(Body, []) -> Body;
pulled({X, Y, Z, _, _, _, _} = Body, [{X, Y, Z, _, _, _, _} | Rest]) -> pulled(Body, Rest);
pulled({X, Y, Z, VX, VY, VZ, M}, [{X2, Y2, Z2, _, _, _, M2} | Rest]) ->
    DX = X - X2, DY = Y - Y2, DZ = Z - Z2,
    Square = DX * DX + DY * DY + DZ * DZ,
    Pull = 0.01 * M2 / (Square * math:sqrt(Square)),
    pulled({X, Y, Z, VX - DX * Pull, VY - DY * Pull, VZ - DZ * Pull, M}, Rest).

move({X, Y, Z, VX, VY, VZ, M}) ->
    {X + 0.01 * VX, Y + 0.01 * VY, Z + 0.01 * VZ, VX, VY, VZ, M}.

mandelbrot(Size) -> rows(Size, Size, 0).

rows(0, _, Sum) -> Sum;
rows(Y, Size, Sum) -> rows(Y - 1, Size, columns(Size, Y, Size, Sum)).

columns(0, _, _, Sum) -> Sum;
columns(X, Y, Size, Sum) ->
    CR = 2.0 * X / Size - 1.5,
    CI = 2.0 * Y / Size - 1.0,
    columns(X - 1, Y, Size, Sum + escape(50, 0.0, 0.0, CR, CI)).

escape(0, _, _, _, _) -> 0;
escape(N, R, I, CR, CI) ->
    R2 = R * R, I2 = I * I,
    if R2 + I2 > 4.0 -> N;
       true -> escape(N - 1, R2 - I2 + CR, 2.0 * R * I + CI, CR, CI)
    end.

spectral(N) ->
    U = lists:duplicate(N, 1.0),
    V = multiply(N, U),
    W = multiply(N, V),
    lists:sum([A * B || {A, B} <- lists:zip(V, W)]).

multiply(N, Vector) -> [row(I, 0, Vector, 0.0) || I <- lists:seq(0, N - 1)].

row(_, _, [], Sum) -> Sum;
row(I, J, [X | Rest], Sum) -> row(I, J + 1, Rest, Sum + X / ((I + J) * (I + J + 1) div 2 + I + 1)).

polynomial(0, _, Sum) -> Sum;
polynomial(N, X, Sum) -> polynomial(N - 1, X * 0.999999, Sum + ((X * 3.0 + 2.0) * X - 1.5) * X + 0.25).

trigonometry(0, Sum) -> Sum;
trigonometry(N, Sum) -> trigonometry(N - 1, Sum + math:sin(Sum) * math:cos(N * 0.1)).
