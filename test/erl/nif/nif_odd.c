/* An entry one of whose members is odd, in the way that the variable NIF_ODD says: its name and a number. */
#include <erl_nif.h>

#include <stdlib.h>
#include <string.h>

static ERL_NIF_TERM which(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { return enif_make_int(env, argc); }
static int load(ErlNifEnv *env, void **priv_data, ERL_NIF_TERM info) { return 0; }

static ErlNifFunc functions[4];
static char long_name[301];
static const char *const names[] = {"",         "x\n",          "NIF_ODD_M", long_name,     "%s%s%n",   "\xe5",
                                    "\xc3\xa5", "\xff\xfe\xc3", "load",      "module_info", "nif_odd_m"};

ErlNifEntry *nif_init(void);
ErlNifEntry *nif_init(void) {
    static ErlNifEntry entry;
    entry = (ErlNifEntry){2,           16,
                          "nif_odd_m", 1,
                          functions,   load,
                          NULL,        NULL,
                          NULL,        "beam.vanilla",
                          1,           sizeof(ErlNifResourceTypeInit),
                          "erts-10.4"};
    for (int i = 0; i < 4; i++)
        functions[i] = (ErlNifFunc){i == 3 ? "f" : "which", i == 1, which, 0};
    memset(long_name, 'x', sizeof long_name - 1);
    char what[40] = "";
    size_t size = sizeof what;
    enif_getenv("NIF_ODD", what, &size);
    char *space = strchr(what, ' ');
    long number = 0;
    if (space != NULL) {
        number = strtol(space, NULL, 0);
        *space = 0;
    }
#define IS(name) if (strcmp(what, name) == 0)
    IS("count") entry.num_of_funcs = (int)number;
    IS("no_functions") {
        entry.num_of_funcs = 0;
        entry.funcs = NULL;
    }
    IS("major") entry.major = (int)number;
    IS("minor") entry.minor = (int)number;
    IS("options") entry.options = (unsigned)number;
    IS("sizeof") entry.sizeof_ErlNifResourceTypeInit = (size_t)number;
    IS("no_erts") entry.min_erts = NULL;
    IS("erts") entry.min_erts = names[number];
    IS("name") entry.name = names[number];
    IS("variant") entry.vm_variant = names[number];
    IS("no_load") entry.load = NULL;
    IS("flags") functions[0].flags = (unsigned)number;
    IS("arity") functions[0].arity = (unsigned)number;
    IS("function") functions[0].name = names[number];
    IS("no_address") functions[1].fptr = NULL;
    return &entry;
}
