%% public_key on the stock libraries of crypto and asn1: keys, PEM, certificates.
-module(stock_public_key).
-export([main/0]).
-include_lib("public_key/include/public_key.hrl").

main() ->
    [print(started, element(1, application:ensure_all_started(A))) || A <- [crypto, asn1, public_key]],
    Key = rsa_key(),
    Public = #'RSAPublicKey'{modulus = Key#'RSAPrivateKey'.modulus, publicExponent = 65537},
    pem(Key, Public),
    signatures(Key, Public),
    certificates(Key),
    asn1().

print(What, Term) -> io:format("~p ~0p~n", [What, Term]).
caught(F) -> try F() catch C:R -> {C, R} end.

%% Of 1024 bits, for tests only.
rsa_key() ->
    {P, Q, D} = numbers(),
    #'RSAPrivateKey'{version = 'two-prime', modulus = P * Q, publicExponent = 65537, privateExponent = D, prime1 = P,
                     prime2 = Q, exponent1 = D rem (P - 1), exponent2 = D rem (Q - 1),
                     coefficient = inverse(Q, P), otherPrimeInfos = asn1_NOVALUE}.
numbers() ->
    {16#DF27B474402615F619BAA4A49F0AC0170928CA2CECA468E9CE6BA18B8AD12FC9A0D4F2E345FFB65D9F9BC6D3ADAE2C57EAFD6A994409A2329EF50006A43E3769,
     16#C32432886BB4127246699464DBE63772BAD97069FD356EF093EECDD538CC3F84E44F625809D585DA734EF52360EF18D51DA125316AAC9F018E6343B605ECEB4F,
     16#6368339A856214D4F2540B06DEE3D9E3061629B06E554FD191E3CB2FA117B55CE631431A1344FBE23DB413F9A9C47AAE0B5BC36CD6E31022031431B3C9E22663BBAC6657EB5BB196D325C7C1A9C85D6F869934E4A6559F115EDBF17FA8AD592E457E23395CB04B68CC0EB6780789FF9D03823D2F223513D1CF187D947803BD91}.
inverse(A, M) -> crypto:bytes_to_integer(crypto:mod_pow(A, M - 2, M)).

pem(Key, Public) ->
    Entries = [public_key:pem_entry_encode('RSAPrivateKey', Key), public_key:pem_entry_encode('RSAPublicKey', Public),
               public_key:pem_entry_encode('SubjectPublicKeyInfo', Public)],
    Pem = public_key:pem_encode(Entries),
    io:put_chars(Pem),
    Back = [public_key:pem_entry_decode(E) || E <- public_key:pem_decode(Pem)],
    print(pem, Back =:= [Key, Public, Public]),
    print(der, [public_key:der_decode(T, public_key:der_encode(T, K)) =:= K
                || {T, K} <- [{'RSAPrivateKey', Key}, {'RSAPublicKey', Public}]]),
    print(bad, [element(1, caught(fun() -> public_key:der_decode('RSAPrivateKey', D) end)) || D <- [<<>>, <<48, 3, 2, 1>>]]).

signatures(Key, Public) ->
    [begin
         S = public_key:sign(<<"message">>, H, Key),
         print({sign, H}, {S, public_key:verify(<<"message">>, H, S, Public), public_key:verify(<<"x">>, H, S, Public)})
     end || H <- [sha, sha256, sha512]],
    C = public_key:encrypt_public(<<"secret">>, Public),
    print(encrypt, public_key:decrypt_private(C, Key)),
    print(private, public_key:decrypt_public(public_key:encrypt_private(<<"signed">>, Key), Public)).

certificates(Key) ->
    Name = {rdnSequence, [[#'AttributeTypeAndValue'{type = ?'id-at-commonName', value = {utf8String, <<"viv">>}}]]},
    Algorithm = #'SignatureAlgorithm'{algorithm = ?'sha256WithRSAEncryption', parameters = 'NULL'},
    Tbs = #'OTPTBSCertificate'{
        version = v3, serialNumber = 42, signature = Algorithm, issuer = Name, subject = Name,
        validity = #'Validity'{notBefore = {utcTime, "200101000000Z"}, notAfter = {utcTime, "400101000000Z"}},
        subjectPublicKeyInfo = #'OTPSubjectPublicKeyInfo'{
            algorithm = #'PublicKeyAlgorithm'{algorithm = ?rsaEncryption, parameters = 'NULL'},
            subjectPublicKey = #'RSAPublicKey'{modulus = Key#'RSAPrivateKey'.modulus, publicExponent = 65537}},
        extensions = [#'Extension'{extnID = ?'id-ce-basicConstraints', critical = true,
                                   extnValue = #'BasicConstraints'{cA = true, pathLenConstraint = asn1_NOVALUE}}]},
    Der = public_key:pkix_sign(Tbs, Key),
    print(certificate, Der),
    Decoded = public_key:pkix_decode_cert(Der, otp),
    print(decoded, Decoded#'OTPCertificate'.tbsCertificate#'OTPTBSCertificate'.subject),
    print(plain, element(1, public_key:pkix_decode_cert(Der, plain))),
    print(verified, public_key:pkix_verify(Der, #'RSAPublicKey'{modulus = Key#'RSAPrivateKey'.modulus,
                                                                publicExponent = 65537})),
    print(self_signed, {public_key:pkix_is_self_signed(Der), public_key:pkix_is_issuer(Der, Der)}),
    print(issuer, public_key:pkix_issuer_id(Der, self)),
    print(path, element(1, public_key:pkix_path_validation(Der, [Der], []))),
    print(hostname, public_key:pkix_verify_hostname(Der, [{dns_id, "viv"}])).

asn1() ->
    [print(ber, caught(fun() -> asn1rt_nif:decode_ber_tlv(B) end))
     || B <- [<<>>, <<2, 1, 5>>, <<48, 6, 2, 1, 1, 2, 1, 2>>, <<48, 128, 2, 1, 1, 0, 0>>, <<48, 5, 2>>, <<2, 130, 1>>,
              <<4, 3, "abc", "tail">>, <<31, 129, 1, 1, 0>>]],
    print(encode, [asn1rt_nif:encode_ber_tlv(T) || T <- [{16, [{2, <<1>>}, {2, <<2>>}]}, {4, binary:copy(<<"x">>, 200)}]]),
    print(per, [caught(fun() -> asn1rt_nif:encode_per_complete(L) end)
                || L <- [[], [<<1, 2>>], [0, 1, 1], [{0, 1}], foo, [[10, 3, 5], <<7>>]]]).
