/* I/O vectors and I/O queues. */
#include "nif_test.h"

#include <sys/uio.h>

static ErlNifResourceType *queue_type;
typedef struct {
    ErlNifIOQueue *queue;
} Holder;
static void holder_died(ErlNifEnv *env, void *object) { enif_ioq_destroy(((Holder *)object)->queue); }

static ErlNifIOQueue *queue_of(ErlNifEnv *env, ERL_NIF_TERM term) {
    void *object = NULL;
    enif_get_resource(env, term, queue_type, &object);
    return object ? ((Holder *)object)->queue : NULL;
}

NIF(new) {
    Holder *h = enif_alloc_resource(queue_type, sizeof *h);
    h->queue = enif_ioq_create(ERL_NIF_IOQ_NORMAL);
    ERL_NIF_TERM term = enif_make_resource(env, h);
    enif_release_resource(h);
    return term;
}

static ERL_NIF_TERM parts(ErlNifEnv *env, const SysIOVec *iov, int count) {
    ERL_NIF_TERM list = enif_make_list(env, 0);
    for (int i = count; i-- > 0;)
        list = enif_make_list_cell(env, binary(env, iov[i].iov_base, iov[i].iov_len), list);
    return list;
}

/* inspect(Max, List, How): the vector's parts and what is left; 0 on the stack, 1 allocated, 2 allocated without env. */
NIF(inspect) {
    ErlNifIOVec on_stack, *iov = int_of(env, argv[2]) ? NULL : &on_stack;
    ERL_NIF_TERM tail = argv[1];
    ErlNifEnv *in = int_of(env, argv[2]) == 2 ? NULL : env;
    memset(&on_stack, 0, sizeof on_stack);
    if (!enif_inspect_iovec(in, (size_t)int_of(env, argv[0]), argv[1], &tail, &iov))
        return atom(env, "no");
    ERL_NIF_TERM result = enif_make_tuple5(env, enif_make_int(env, iov->iovcnt), enif_make_uint64(env, iov->size),
                                           parts(env, iov->iov, iov->iovcnt), tail, boolean(env, iov->iov != NULL));
    if (!in)
        enif_free_iovec(iov);
    return result;
}

/* enq(Queue, Vector, Skip) */
NIF(enqv) {
    ErlNifIOVec vector, *iov = &vector;
    ERL_NIF_TERM tail = argv[1];
    ErlNifIOQueue *q = queue_of(env, argv[0]);
    do {
        if (!enif_inspect_iovec(env, 64, tail, &tail, &iov))
            return enif_make_badarg(env);
        if (!enif_ioq_enqv(q, iov, (size_t)int_of(env, argv[2])))
            return atom(env, "no");
    } while (!enif_is_empty_list(env, tail));
    return enif_make_uint64(env, enif_ioq_size(q));
}
/* A vector that lives without an environment, then goes into the queue and is freed. */
NIF(enqv_allocated) {
    ErlNifIOVec *iov = NULL;
    ERL_NIF_TERM tail;
    if (!enif_inspect_iovec(NULL, 1000, argv[1], &tail, &iov))
        return enif_make_badarg(env);
    int ok = enif_ioq_enqv(queue_of(env, argv[0]), iov, (size_t)int_of(env, argv[2]));
    enif_free_iovec(iov);
    return ok ? enif_make_uint64(env, enif_ioq_size(queue_of(env, argv[0]))) : atom(env, "no");
}
/* enq_binary(Queue, Binary, Skip, How): 0 an allocated one, 1 an inspected one. */
NIF(enq_binary) {
    ErlNifBinary given, bin;
    if (!enif_inspect_binary(env, argv[1], &given))
        return enif_make_badarg(env);
    if (int_of(env, argv[3]))
        bin = given;
    else {
        enif_alloc_binary(given.size, &bin);
        memcpy(bin.data, given.data, given.size);
    }
    int ok = enif_ioq_enq_binary(queue_of(env, argv[0]), &bin, (size_t)int_of(env, argv[2]));
    return ok ? enif_make_uint64(env, enif_ioq_size(queue_of(env, argv[0]))) : atom(env, "no");
}

/* deq(Queue, Count): with the size that is left, and without asking for it. */
NIF(deq) {
    size_t left = 7777;
    int ok = enif_ioq_deq(queue_of(env, argv[0]), (size_t)int_of(env, argv[1]), &left);
    return answer(env, ok, enif_make_uint64(env, left));
}
NIF(deq_blind) { return enif_make_int(env, enif_ioq_deq(queue_of(env, argv[0]), (size_t)int_of(env, argv[1]), NULL)); }

NIF(peek) {
    int count = 7777;
    SysIOVec *iov = enif_ioq_peek(queue_of(env, argv[0]), &count);
    return enif_make_tuple3(env, enif_make_int(env, count), boolean(env, iov != NULL),
                            iov ? parts(env, iov, count) : atom(env, "none"));
}
/* All bytes, whatever the parts are. */
NIF(bytes) {
    int count = 0;
    ErlNifIOQueue *q = queue_of(env, argv[0]);
    size_t at = 0, size = enif_ioq_size(q);
    SysIOVec *iov = enif_ioq_peek(q, &count);
    ERL_NIF_TERM term;
    unsigned char *to = enif_make_new_binary(env, size, &term);
    for (int i = 0; i < count; i++) {
        if (at + iov[i].iov_len > size)
            return atom(env, "more_than_its_size");
        memcpy(to + at, iov[i].iov_base, iov[i].iov_len);
        at += iov[i].iov_len;
    }
    return at == size ? term : atom(env, "less_than_its_size");
}
NIF(peek_head) {
    size_t size = 7777;
    ERL_NIF_TERM head = argv[0];
    int ok = enif_ioq_peek_head(env, queue_of(env, argv[0]), &size, &head);
    return ok ? enif_make_tuple2(env, enif_make_uint64(env, size), head) : atom(env, "no");
}
NIF(peek_head_blind) {
    ERL_NIF_TERM head = argv[0];
    int ok = enif_ioq_peek_head(env, queue_of(env, argv[0]), NULL, &head);
    return answer(env, ok, head);
}
NIF(queue_size) { return enif_make_uint64(env, enif_ioq_size(queue_of(env, argv[0]))); }

NIF(bad_create) {
    ErlNifIOQueue *q = enif_ioq_create(7);
    return boolean(env, q == NULL);
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    queue_type = enif_open_resource_type(env, NULL, "queue", holder_died, ERL_NIF_RT_CREATE, NULL);
    return queue_type == NULL;
}

static ErlNifFunc functions[] = {
    {"new", 0, new, 0},
    {"inspect", 3, inspect, 0},
    {"enqv", 3, enqv, 0},
    {"enqv_allocated", 3, enqv_allocated, 0},
    {"enq_binary", 4, enq_binary, 0},
    {"deq", 2, deq, 0},
    {"deq_blind", 2, deq_blind, 0},
    {"peek", 1, peek, 0},
    {"bytes", 1, bytes, 0},
    {"peek_head", 1, peek_head, 0},
    {"peek_head_blind", 1, peek_head_blind, 0},
    {"queue_size", 1, queue_size, 0},
    {"bad_create", 0, bad_create, 0},
};
ERL_NIF_INIT(nif_queues, functions, load, NULL, NULL, NULL)
