/* Takes what code could stand in: the memory below 2 GB but for LEFT bytes, or all mappings that a process may have.
 * LEFT is a chunk for words and one for native code: of a single one the first who wants it would have it, each time
 * another one. It is at the end of the largest block, not near the beginning of what Linux looks through, which is a
 * random place at each call: there the first chunk could come to stand in its middle. */
#define _GNU_SOURCE
#include <erl_nif.h>
#include <sys/mman.h>

#define MOST 100000
#define LEFT (8 << 20)
#define LOW (MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT)
static struct {
    void *address;
    size_t size;
} taken[MOST];
static int count;

/* What is free before the place where Linux begins to look is found by another call, if it is. */
#define TRIES 128
static void *map_low(size_t size) {
    void *address = MAP_FAILED;
    for (int i = 0; i < TRIES && address == MAP_FAILED; i++)
        address = mmap(NULL, size, PROT_NONE, LOW, -1, 0);
    return address;
}

static ERL_NIF_TERM take_low(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    for (size_t size = 1 << 28; size >= 4096; size /= 2) {
        void *address;
        while (count < MOST && (address = map_low(size)) != MAP_FAILED) {
            taken[count].address = address;
            taken[count++].size = size;
        }
    }
    taken[0].size -= LEFT;
    munmap((char *)taken[0].address + taken[0].size, LEFT);
    return enif_make_int(env, count);
}

/* No two beside each other are alike, so each is one of its own. */
static ERL_NIF_TERM take_mappings(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    void *address;
    while (count < MOST && (address = mmap(NULL, 4096, count % 2 == 0 ? PROT_NONE : PROT_READ,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED) {
        taken[count].address = address;
        taken[count++].size = 4096;
    }
    return enif_make_int(env, count);
}

static ERL_NIF_TERM give(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    while (count > 0) {
        count--;
        munmap(taken[count].address, taken[count].size);
    }
    return enif_make_int(env, count);
}

static ErlNifFunc functions[] = {
    {"take_low", 0, take_low, 0}, {"take_mappings", 0, take_mappings, 0}, {"give", 0, give, 0}};
ERL_NIF_INIT(native_room, functions, NULL, NULL, NULL, NULL)
