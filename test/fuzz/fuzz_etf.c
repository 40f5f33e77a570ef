/*
 * libFuzzer target: bytes of the external format are refused, or become a term whose encoding decodes to the same term.
 * The first byte says how much is done in a step, and whether it is the form between nodes, with numbers for atoms.
 */
#include "base/thread_progress.h"
#include "code/export.h"
#include "term/fun.h"
#include "etf/encode.h"
#include "heap/heap.h"
#include "heap/literal.h"
#include "term/atom.h"
#include "term/compare.h"
#include "term/node.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    thread_progress_register();
    atom_table_init((size_t)1 << 26);
    node_table_init();
    literal_span_init();
    export_table_init();
    fun_table_init();
    return 0;
}

#define BETWEEN_NODES 128 /* of the first byte */

/* `numbered`: what numbers of atoms mean, in the form between nodes; NULL: it is the other. */
static Term decode(const uint8_t *data, size_t size, const EtfAtoms *numbered, Area *area, int64_t step) {
    Term atoms[ETF_ATOMS_MAX];
    for (unsigned i = 0; numbered != NULL && i < numbered->count; i++)
        atoms[i] = etf_atoms_at(numbered, i);
    EtfDecoder d;
    EtfStatus status;
    int64_t work;
    if (numbered != NULL)
        etf_decoder_init_received(&d, data, size, atoms, numbered->count);
    else
        etf_decoder_init(&d, data, size, 0);
    while (work = step, (status = etf_decoder_check(&d, &work)) == ETF_MORE)
        ;
    if (status == ETF_DONE)
        while (work = step, (status = etf_decoder_build(&d, area, &work)) == ETF_MORE)
            ;
    Term t = status == ETF_DONE ? d.result : NON_VALUE;
    etf_decoder_release(&d);
    return t;
}

static void check(Term t, Area *area, int64_t step) {
    EtfEncoder e;
    int64_t work;
    etf_encoder_init(&e, t, ETF_WRITE, 2, 0);
    while (work = step, etf_encoder_run(&e, area, &work) == ETF_MORE)
        etf_encoder_resume(&e, etf_encoder_suspend(&e, area));
    Term again = decode(e.start, etf_encoder_total(&e), NULL, area, step);
    require(is_value(again) && term_identical(t, again));
    etf_encoder_release(&e);
}

static void check_sent(Term t, Area *area, int64_t step) {
    EtfEncoder e;
    EtfAtoms atoms;
    int64_t work;
    etf_atoms_clear(&atoms);
    etf_encoder_init_sent(&e, t, ETF_PIECES, &atoms, (size_t)step);
    while (work = step, etf_encoder_run(&e, area, &work) == ETF_MORE)
        etf_encoder_resume(&e, etf_encoder_suspend(&e, area));
    EtfBytes *parts = malloc(etf_encoder_part_count(&e) * sizeof *parts);
    size_t total = etf_encoder_total(&e), count = etf_encoder_take(&e, parts);
    uint8_t *bytes = malloc(total);
    size_t size = 0;
    for (size_t i = 0; i < count; size += parts[i++].size) {
        require(size + parts[i].size <= total);
        memcpy(bytes + size, parts[i].bytes, parts[i].size);
        etf_bytes_release(&parts[i]);
    }
    Term again = decode(bytes, size, &atoms, area, step);
    require(is_value(again) && term_identical(t, again));
    etf_encoder_release(&e);
    free(parts);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    int64_t step = 1 + data[0] % BETWEEN_NODES;
    EtfAtoms some;
    etf_atoms_clear(&some);
    for (unsigned i = 0; i < 20; i++)
        etf_atoms_put(&some, atom_make(i));
    FragmentArea fa;
    fragment_area_init(&fa, 0);
    bool between_nodes = data[0] >= BETWEEN_NODES;
    Term t = decode(data + 1, size - 1, between_nodes ? &some : NULL, &fa.area, step);
    if (is_value(t))
        (between_nodes ? check_sent : check)(t, &fa.area, step);
    for (Fragment *f = fragment_area_finish(&fa), *next; f != NULL; f = next) {
        next = f->next;
        fragment_free(f);
    }
    return 0;
}
