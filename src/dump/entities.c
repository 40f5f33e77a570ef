#include "dump/sections.h"

#include <math.h>

#include "dump/terms.h"
#include "ets/count.h"
#include "ets/hash.h"
#include "ets/tables.h"
#include "port/text.h"
#include "process/timer.h"
#include "term/print.h"

/* --- ports ------------------------------------------------------------------------------------------------------- */

static void put_port(Process *actor, void *data) { port_text(data, port_of(actor)); }

void dump_ports(Text *to) { port_table_each(put_port, to); }

/* --- tables ------------------------------------------------------------------------------------------------------ */

typedef struct {
    uint64_t buckets, objects, least, most;
    double squares;
} Chains;

static Chains count_chains(const Table *t) {
    Chains c = {.buckets = hash_bucket_count(t), .least = UINT64_MAX};
    for (uint64_t i = 0; i < c.buckets; i++) {
        uint64_t length = 0;
        for (const Object *o = *hash_bucket(t, i); o != NULL; o = o->next)
            length++;
        c.objects += length;
        c.least = length < c.least ? length : c.least;
        c.most = length > c.most ? length : c.most;
        c.squares += (double)length * (double)length;
    }
    return c;
}

static void put_chains(Text *to, const Table *t) {
    Chains c = count_chains(t);
    double n = (double)c.buckets, average = (double)c.objects / n;
    double deviation = c.buckets > 1 ? (c.squares - average * (double)c.objects) / (n - 1) : 0;
    text_format(to, "Buckets: %llu\n", (unsigned long long)c.buckets);
    text_format(to, "Chain Length Avg: %f\nChain Length Max: %llu\nChain Length Min: %llu\n", average,
                (unsigned long long)c.most, (unsigned long long)c.least);
    text_format(to, "Chain Length Std Dev: %f\nChain Length Expected Std Dev: %f\n",
                sqrt(deviation > 0 ? deviation : 0), sqrt(average * (1 - 1 / n)));
    text_format(to, "Fixed: %s\n", atomic_load(&t->fixed) > 0 ? "true" : "false");
}

static void put_identifier(Text *to, Table *t) {
    Term words[MAGIC_REF_WORDS];
    Area area = {.top = words, .limit = words + array_length(words)};
    print_term(to, t->named ? t->name : table_tid(t, &area));
}

static const char *truth(bool is_true) { return is_true ? "true" : "false"; }

static void put_table_options(Text *to, const Table *t) {
    static const char *const types[] = {"set", "bag", "duplicate_bag", "ordered_set"};
    static const char *const protections[] = {"private", "protected", "public"};
    text_format(to, "Objects: %lld\nWords: %lld\n", (long long)table_objects_at_rest(t),
                (long long)(table_memory_words(t) + table_object_words_at_rest(t)));
    text_format(to, "Type: %s\nProtection: %s\nCompressed: %s\n", types[t->type], protections[t->protection],
                truth(t->compressed));
    text_string(to, "Write Concurrency: ");
    print_atom(to, t->write_concurrency);
    text_format(to, "\nRead Concurrency: %s\n", truth(t->read_concurrency));
}

static void put_ets(Table *t, void *data) {
    Text *to = data;
    if (t->stripes == NULL || atomic_load(&t->deleted))
        return;
    text_string(to, "=ets:");
    print_term(to, atomic_load(&t->owner));
    text_format(to, "\nSlot: %llu\nTable: ", (unsigned long long)(uintptr_t)t);
    put_identifier(to, t);
    text_string(to, "\nName: ");
    print_atom(to, t->name);
    text_byte(to, '\n');
    if (table_is_tree(t))
        text_format(to, "Ordered set (AVL tree), Elements: %lld\n", (long long)table_objects_at_rest(t));
    else
        put_chains(to, t);
    put_table_options(to, t);
}

void dump_tables(Text *to) { tables_each_alone(put_ets, to); }

/* --- timers ------------------------------------------------------------------------------------------------------ */

static void put_timer(Term receiver, Term message, int64_t milliseconds, void *data) {
    Text *to = data;
    text_string(to, "=timer:");
    print_term(to, receiver);
    text_string(to, "\nMessage: ");
    dump_print(to, message);
    text_format(to, "\nTime left: %lld\n", (long long)milliseconds);
}

void dump_timers(Text *to) { timers_each_alone(put_timer, to); }
