%% The stock crypto application on its own library, built for the stock runtime: what is deterministic, byte by byte;
%% of the rest whether it fits together.
-module(stock_crypto).
-export([main/0]).

-define(KEY(N), binary:part(<<"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!?">>, 0, N)).

main() ->
    print(application, [{K, element(1, V)} || {K, V} <- [{start, {element(1, application:ensure_all_started(crypto))}}]]),
    print(info, {crypto:info_lib(), crypto:info_fips(), maps:keys(crypto:info())}),
    hashes(),
    macs(),
    ciphers(),
    streams(),
    aead(),
    signatures(),
    keys(),
    random(),
    numbers(),
    failures(),
    many().

print(What, Term) -> io:format("~p ~0p~n", [What, Term]).

caught(F) ->
    try F() catch C:R:S -> {C, R, [{M, Fn, case A of L when is_list(L) -> length(L); _ -> A end, keep(I)}
                                   || {M, Fn, A, I} <- lists:sublist(S, 2), M =:= crypto]} end.
keep(I) -> [error_info || {error_info, _} <- I].

data() -> [<<>>, <<"abc">>, binary:copy(<<"0123456789">>, 100), [<<"io">>, [$l, "ist"]],
           <<<<X:7>> || X <- lists:seq(0, 127)>>].

hashes() ->
    [print({hash, Type}, [catch crypto:hash(Type, D) || D <- data()])
     || Type <- [md4, md5, ripemd160, sha, sha224, sha256, sha384, sha512, sha3_224, sha3_256, sha3_384, sha3_512,
                 blake2b, blake2s]],
    [begin
         S = lists:foldl(fun(D, S) -> crypto:hash_update(S, D) end, crypto:hash_init(Type), lists:droplast(data())),
         print({hash_stream, Type}, {crypto:hash_final(S), crypto:hash_final(S)})
     end || Type <- [md5, sha, sha256, sha512, sha3_256]],
    Big = binary:copy(<<1, 2, 3, 4>>, 100000),
    print(big, crypto:hash(sha256, Big)),
    [print({hash_info, T}, crypto:hash_info(T)) || T <- [md5, sha, sha256, sha3_512]].

macs() ->
    [print({hmac, T}, [caught(fun() -> crypto:mac(hmac, T, ?KEY(20), D) end) || D <- data()])
     || T <- [md5, sha, sha224, sha256, sha384, sha512, sha3_256]],
    print(macN, [crypto:macN(hmac, sha256, ?KEY(20), <<"abc">>, N) || N <- [1, 12, 32]]),
    print(cmac, [crypto:mac(cmac, aes_128_cbc, ?KEY(16), D) || D <- [<<>>, <<"abc">>]]),
    print(poly1305, crypto:mac(poly1305, ?KEY(32), <<"abc">>)),
    S = crypto:mac_update(crypto:mac_update(crypto:mac_init(hmac, sha, ?KEY(16)), <<"ab">>), <<"c">>),
    print(mac_stream, {crypto:mac_final(S), crypto:mac_final(S), crypto:mac(hmac, sha, ?KEY(16), <<"abc">>)}),
    print(mac_finalN, crypto:mac_finalN(crypto:mac_update(crypto:mac_init(hmac, sha, <<"k">>), <<"x">>), 5)),
    print(pbkdf2, crypto:pbkdf2_hmac(sha, <<"password">>, <<"salt">>, 100, 20)).

one_time() ->
    [{aes_128_ecb, 16, 0}, {aes_128_cbc, 16, 16}, {aes_192_cbc, 24, 16}, {aes_256_cbc, 32, 16}, {aes_128_ctr, 16, 16},
     {aes_256_ctr, 32, 16}, {aes_128_cfb8, 16, 16}, {aes_256_cfb128, 32, 16}, {des_ede3_cbc, 24, 8},
     {chacha20, 32, 16}].

ciphers() ->
    [begin
         E = fun(D, O) -> crypto:crypto_one_time(C, ?KEY(K), ?KEY(I), D, O) end,
         print({cipher, C}, [caught(fun() -> E(D, true) end) || D <- [<<>>, <<"0123456789abcdef">>, ["01234567", "89"]]]),
         print({padded, C}, [caught(fun() ->
             X = E(D, [{encrypt, true}, {padding, pkcs_padding}]),
             {X, E(X, [{encrypt, false}, {padding, pkcs_padding}])} end) || D <- [<<>>, <<"abc">>, ?KEY(64)]]),
         print({cipher_info, C}, crypto:cipher_info(C))
     end || {C, K, I} <- one_time()].

streams() ->
    [begin
         S = crypto:crypto_init(C, ?KEY(K), ?KEY(I), [{encrypt, true}, {padding, pkcs_padding}]),
         Parts = [crypto:crypto_update(S, D) || D <- [<<"one">>, <<>>, ?KEY(33), [<<"x">>, "yz"]]],
         Last = crypto:crypto_final(S),
         print({stream, C}, {Parts, Last, crypto:crypto_get_data(S)}),
         D = crypto:crypto_init(C, ?KEY(K), ?KEY(I), [{encrypt, false}, {padding, pkcs_padding}]),
         Back = [crypto:crypto_update(D, P) || P <- Parts ++ [Last]],
         print({back, C}, iolist_to_binary([Back, crypto:crypto_final(D)]))
     end || {C, K, I} <- [{aes_128_cbc, 16, 16}, {aes_256_ctr, 32, 16}, {chacha20, 32, 16}]],
    print(ivs, caught(fun() -> crypto:crypto_dyn_iv_init(aes_128_cbc, ?KEY(16), true) end)).

aead() ->
    [begin
         {Out, Tag} = crypto:crypto_one_time_aead(C, ?KEY(K), ?KEY(12), <<"secret text">>, <<"known">>, T, true),
         In = fun(G) -> crypto:crypto_one_time_aead(C, ?KEY(K), ?KEY(12), Out, <<"known">>, G, false) end,
         print({aead, C, T}, {Out, Tag, In(Tag), In(<<0, (binary:part(Tag, 1, byte_size(Tag) - 1))/binary>>)})
     end || {C, K} <- [{aes_128_gcm, 16}, {aes_256_gcm, 32}, {chacha20_poly1305, 32}, {aes_128_ccm, 16}], T <- [16]].

signatures() ->
    {Pub, Priv} = rsa_key(),
    [begin
         S = crypto:sign(rsa, H, <<"message">>, Priv, [{rsa_padding, rsa_pkcs1_padding}]),
         print({rsa, H}, {S, crypto:verify(rsa, H, <<"message">>, S, Pub), crypto:verify(rsa, H, <<"massage">>, S, Pub),
                          crypto:verify(rsa, H, {digest, crypto:hash(H, <<"message">>)}, S, Pub)})
     end || H <- [md5, sha, sha256, sha512]],
    Pss = [{rsa_padding, rsa_pkcs1_pss_padding}, {rsa_pss_saltlen, 20}],
    print(pss, crypto:verify(rsa, sha256, <<"m">>, crypto:sign(rsa, sha256, <<"m">>, Priv, Pss), Pub, Pss)),
    C = crypto:public_encrypt(rsa, <<"plain">>, Pub, rsa_pkcs1_oaep_padding),
    print(rsa_crypt, {byte_size(C), crypto:private_decrypt(rsa, C, Priv, rsa_pkcs1_oaep_padding),
                      crypto:public_decrypt(rsa, crypto:private_encrypt(rsa, <<"q">>, Priv, rsa_pkcs1_padding), Pub,
                                            rsa_pkcs1_padding)}),
    [begin
         {EPub, EPriv} = crypto:generate_key(eddsa, Curve, ?KEY(L)),
         S = crypto:sign(eddsa, none, <<"message">>, [EPriv, Curve]),
         print({eddsa, Curve}, {EPub, S, crypto:verify(eddsa, none, <<"message">>, S, [EPub, Curve])})
     end || {Curve, L} <- [{ed25519, 32}, {ed448, 57}]],
    {XPub, XPriv} = crypto:generate_key(ecdh, secp256r1, <<7:256>>),
    S = crypto:sign(ecdsa, sha256, <<"message">>, [XPriv, secp256r1]),
    print(ecdsa, {XPub, XPriv, crypto:verify(ecdsa, sha256, <<"message">>, S, [XPub, secp256r1]),
                  crypto:verify(ecdsa, sha256, <<"other">>, S, [XPub, secp256r1])}).

% A key of 1024 bits, for tests only.
rsa_key() ->
    N = 16#DF27B474402615F619BAA4A49F0AC0170928CA2CECA468E9CE6BA18B8AD12FC9A0D4F2E345FFB65D9F9BC6D3ADAE2C57EAFD6A994409A2329EF50006A43E3769
        * 16#C32432886BB4127246699464DBE63772BAD97069FD356EF093EECDD538CC3F84E44F625809D585DA734EF52360EF18D51DA125316AAC9F018E6343B605ECEB4F,
    D = 16#6368339A856214D4F2540B06DEE3D9E3061629B06E554FD191E3CB2FA117B55CE631431A1344FBE23DB413F9A9C47AAE0B5BC36CD6E31022031431B3C9E22663BBAC6657EB5BB196D325C7C1A9C85D6F869934E4A6559F115EDBF17FA8AD592E457E23395CB04B68CC0EB6780789FF9D03823D2F223513D1CF187D947803BD91,
    {[65537, N], [65537, N, D]}.

keys() ->
    [begin
         {Pub, Priv} = crypto:generate_key(ecdh, Curve, P),
         {Other, _} = crypto:generate_key(ecdh, Curve, Q),
         print({ecdh, Curve}, {Pub, Priv, crypto:compute_key(ecdh, Other, Priv, Curve)})
     end || {Curve, P, Q} <- [{x25519, ?KEY(32), <<9:256>>}, {x448, ?KEY(56), <<9:448>>},
                              {secp256r1, <<5:256>>, <<6:256>>}, {secp384r1, <<5:384>>, <<6:384>>}]],
    % RFC 3526, group 5
    DH = [16#FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA237327FFFFFFFFFFFFFFFF, 2],
    {A, PA} = crypto:generate_key(dh, DH),
    {B, PB} = crypto:generate_key(dh, DH),
    print(dh, crypto:compute_key(dh, A, PB, DH) =:= crypto:compute_key(dh, B, PA, DH)),
    {EPub, EPriv} = crypto:generate_key(ecdh, secp256r1),
    print(ecdh_new, {byte_size(EPub), byte_size(EPriv)}),
    {RPub, RPriv} = crypto:generate_key(rsa, {1024, 65537}),
    print(rsa_new, {length(RPub), length(RPriv), byte_size(lists:nth(2, RPub))}),
    Srp = crypto:mod_pow(2, ?KEY(8), <<1:64>>),
    print(mod_pow, Srp),
    print(curves, lists:sort(crypto:ec_curves()) =:= lists:sort(crypto:supports(curves))),
    print(supports, [{K, length(V)} || {K, V} <- crypto:supports()]).

random() ->
    print(bytes, [byte_size(crypto:strong_rand_bytes(N)) || N <- [0, 1, 20, 10000]]),
    print(different, crypto:strong_rand_bytes(16) =/= crypto:strong_rand_bytes(16)),
    print(range, [begin X = crypto:rand_uniform(1, N), X >= 1 andalso X < N end || N <- [10, 1 bsl 100]]),
    S = crypto:rand_seed_s(),
    {U, S2} = rand:uniform_s(1000, S),
    print(seed, {is_integer(U), is_tuple(S2)}),
    S3 = crypto:rand_seed_alg_s(crypto_aes, "seed"),
    print(seeded, element(1, lists:mapfoldl(fun(_, St) -> rand:uniform_s(1 bsl 58, St) end, S3, lists:seq(1, 10)))).

numbers() ->
    print(exor, crypto:exor(<<1, 2, 3>>, <<255, 0, 255>>)),
    print(equal, [crypto:hash_equals(A, B) || {A, B} <- [{<<"a">>, <<"a">>}, {<<"a">>, <<"b">>}]]),
    print(bytes, [crypto:bytes_to_integer(crypto:mod_pow(B, E, M))
                  || {B, E, M} <- [{2, 10, 1000}, {3, 1 bsl 100, 1 bsl 89 - 1}, {<<5>>, <<7>>, <<0, 11>>}]]).

failures() ->
    [print(failure, {N, caught(F)}) || {N, F} <-
        [{hash_type, fun() -> crypto:hash(foo, <<>>) end},
         {hash_data, fun() -> crypto:hash(sha, foo) end},
         {hash_improper, fun() -> crypto:hash(sha, [1 | 2]) end},
         {hash_range, fun() -> crypto:hash(sha, [256]) end},
         {update, fun() -> crypto:hash_update(make_ref(), <<>>) end},
         {mac, fun() -> crypto:mac(hmac, foo, <<>>, <<>>) end},
         {cipher, fun() -> crypto:crypto_one_time(foo, <<>>, <<>>, true) end},
         {key_length, fun() -> crypto:crypto_one_time(aes_128_cbc, <<1>>, ?KEY(16), <<>>, true) end},
         {iv_length, fun() -> crypto:crypto_one_time(aes_128_cbc, ?KEY(16), <<1>>, <<>>, true) end},
         {key_type, fun() -> crypto:crypto_one_time(aes_128_cbc, 1, ?KEY(16), <<>>, true) end},
         {flag, fun() -> crypto:crypto_one_time(aes_128_cbc, ?KEY(16), ?KEY(16), <<>>, foo) end},
         {bad_padding, fun() -> crypto:crypto_one_time(aes_128_cbc, ?KEY(16), ?KEY(16), ?KEY(16),
                                                       [{encrypt, false}, {padding, pkcs_padding}]) end},
         {sign, fun() -> crypto:sign(rsa, sha, <<>>, [1, 2]) end},
         {verify, fun() -> crypto:verify(ecdsa, sha, <<>>, <<>>, [<<1>>, secp256r1]) end},
         {curve, fun() -> crypto:generate_key(ecdh, no_curve) end},
         {rand, fun() -> crypto:strong_rand_bytes(-1) end},
         {range, fun() -> crypto:rand_uniform(5, 5) end}]],
    F = (catch crypto:hash(foo, <<>>)),
    {'EXIT', {Reason, Stack}} = F,
    print(explained, [K || {K, _} <- maps:to_list(erl_erts_errors:format_error(Reason, Stack)), is_integer(K)]).

%% Many processes at once, some killed in the middle; states of ciphers that are dropped, and sent away.
many() ->
    Me = self(),
    Work = fun(N) -> lists:foldl(fun(I, A) -> crypto:hash(sha256, [A, <<I:32>>]) end, <<N>>, lists:seq(1, 200)) end,
    Pids = [spawn_link(fun() -> Me ! {N, Work(N)} end) || N <- lists:seq(1, 20)],
    Results = [receive {N, H} -> H end || {N, _} <- lists:zip(lists:seq(1, 20), Pids)],
    print(many, crypto:hash(sha, Results)),
    Data = binary:copy(<<"0123456789">>, 10000),
    Doomed = [spawn(fun Loop() -> crypto:hash(sha, Data), Loop() end) || _ <- [1, 2, 3]],
    timer:sleep(20),
    [begin R = monitor(process, P), exit(P, kill), receive {'DOWN', R, _, _, W} -> print(killed, W) end end
     || P <- Doomed],
    S = crypto:hash_update(crypto:hash_init(sha), <<"ab">>),
    {Other, R} = spawn_monitor(fun() -> receive {state, X} -> exit(crypto:hash_final(crypto:hash_update(X, "c"))) end end),
    Other ! {state, S},
    receive {'DOWN', R, _, _, H} -> print(sent, H =:= crypto:hash(sha, <<"abc">>)) end,
    [crypto:hash_init(sha512) || _ <- lists:seq(1, 1000)],
    erlang:garbage_collect(),
    print(done, ok).
