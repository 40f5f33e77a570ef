/*
 * libFuzzer target: bytes of the external format are refused, or become a term whose encoding decodes to the same term.
 * The first byte says how much is done in a step.
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

static Term decode(const uint8_t *data, size_t size, Area *area, int64_t step) {
    EtfDecoder d;
    EtfStatus status;
    int64_t work;
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
    Term again = decode(e.start, etf_encoder_total(&e), area, step);
    require(is_value(again) && term_identical(t, again));
    etf_encoder_release(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    int64_t step = 1 + data[0];
    FragmentArea fa;
    fragment_area_init(&fa, 0);
    Term t = decode(data + 1, size - 1, &fa.area, step);
    if (is_value(t))
        check(t, &fa.area, step);
    for (Fragment *f = fragment_area_finish(&fa), *next; f != NULL; f = next) {
        next = f->next;
        fragment_free(f);
    }
    return 0;
}
