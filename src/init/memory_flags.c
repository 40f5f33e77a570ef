#include "init/memory_flags.h"

#include <string.h>

typedef enum { VALUE_BOOL, VALUE_SIZE, VALUE_UTILIZATION, VALUE_WORD } ValueKind;

typedef struct {
    const char *subsystems, *parameter;
    ValueKind kind;
    const char *words; /* of VALUE_WORD, each between two spaces */
} Flag;

#define ALL "uBDEFHILRSTXZ"
#define STRATEGIES " bf aobf aoff aoffcbf aoffcaobf ageffcaoff ageffcaoffm ageffcbf ageffcaobf gf af "

/* As the manual has them. A longer parameter stands before one that it begins with. */
static const Flag flags_known[] = {
    {ALL, "acul", VALUE_UTILIZATION, NULL},
    {ALL, "acful", VALUE_UTILIZATION, NULL},
    {ALL, "acfml", VALUE_SIZE, NULL},
    {ALL, "acnl", VALUE_SIZE, NULL},
    {ALL, "asbcst", VALUE_SIZE, NULL},
    {ALL, "as", VALUE_WORD, STRATEGIES},
    {ALL, "atags", VALUE_BOOL, NULL},
    {ALL, "cp", VALUE_WORD, " B D E F H L R S @ : "},
    {ALL, "lmbcs", VALUE_SIZE, NULL},
    {ALL, "mbcgs", VALUE_SIZE, NULL},
    {ALL, "mbsd", VALUE_SIZE, NULL},
    {ALL, "mmbcs", VALUE_SIZE, NULL},
    {ALL, "mmmbc", VALUE_SIZE, NULL},
    {ALL, "mmsbc", VALUE_SIZE, NULL},
    {ALL, "ramv", VALUE_BOOL, NULL},
    {ALL, "rmbcmt", VALUE_SIZE, NULL},
    {ALL, "rsbcmt", VALUE_SIZE, NULL},
    {ALL, "rsbcst", VALUE_SIZE, NULL},
    {ALL, "sbct", VALUE_SIZE, NULL},
    {ALL, "smbcs", VALUE_SIZE, NULL},
    {ALL, "e", VALUE_BOOL, NULL},
    {ALL, "t", VALUE_BOOL, NULL},
    {"u", "ycs", VALUE_SIZE, NULL},
    {"u", "mmc", VALUE_SIZE, NULL},
    {"u", "sac", VALUE_BOOL, NULL},
    {"I", "scs", VALUE_SIZE, NULL},
    {"M", "amcbf", VALUE_SIZE, NULL},
    {"M", "rmcbf", VALUE_SIZE, NULL},
    {"M", "mcs", VALUE_SIZE, NULL},
    {"M", "scrfsd", VALUE_SIZE, NULL},
    {"M", "scrpm", VALUE_BOOL, NULL},
    {"M", "sco", VALUE_BOOL, NULL},
    {"M", "scs", VALUE_SIZE, NULL},
    {"Y", "e", VALUE_WORD, " true "},
    {"Y", "tt", VALUE_SIZE, NULL},
    {"Y", "tp", VALUE_SIZE, NULL},
    {"e", "a", VALUE_WORD, " min max r9c r10b r11b config "},
    {"l", "pm", VALUE_WORD, " all no "},
    {"i", "m", VALUE_BOOL, NULL},
    {"i", "s", VALUE_BOOL, NULL},
};

static const Flag *find(const char *name) {
    for (size_t i = 0; i < array_length(flags_known); i++) {
        const Flag *f = &flags_known[i];
        if (*name && strchr(f->subsystems, *name) && strncmp(name + 1, f->parameter, strlen(f->parameter)) == 0)
            return f;
    }
    return NULL;
}

size_t memory_flag_length(const char *name) {
    const Flag *f = find(name);
    return f ? 1 + strlen(f->parameter) : 0;
}

static bool is_one_of(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words; length && (at = strstr(at, word)) != NULL; at++)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static bool is_number(const char *value) {
    return *value && strspn(value, "0123456789") == strlen(value) && strlen(value) < 18;
}

static bool is_good(const Flag *f, const char *value) {
    switch (f->kind) {
    case VALUE_BOOL: return is_one_of(" true false ", value);
    case VALUE_SIZE: return is_number(value);
    case VALUE_UTILIZATION: return is_one_of(" de 100 ", value) || (is_number(value) && strlen(value) <= 2);
    case VALUE_WORD: return is_one_of(f->words, value);
    }
    return false;
}

bool memory_flag_set(MemoryFlags *flags, const char *name, const char *value) {
    const Flag *f = find(name);
    if (!is_good(f, value))
        return false;
    bool is_true = strcmp(value, "true") == 0;
    if (strcmp(f->parameter, "atags") == 0)
        flags->map |= is_true;
    else if (strncmp(name, "im", 2) == 0)
        flags->map = flags->status = is_true;
    else if (strncmp(name, "is", 2) == 0)
        flags->status = is_true;
    else if (strncmp(name, "lpm", 3) == 0)
        flags->lock = strcmp(value, "all") == 0;
    return true;
}
