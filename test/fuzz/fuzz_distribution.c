/*
 * libFuzzer target: what another node may send. Messages one behind the other, three bytes of size before each, go the
 * way of a connection: header, fragments, control message, payload. What is accepted is said again by this side, and is
 * read then as the same. The first byte says who this node is: one of those in test/distribution/recorded.
 */
#include "base/thread_progress.h"
#include "code/export.h"
#include "distribution/control.h"
#include "distribution/fragments.h"
#include "etf/encode.h"
#include "heap/heap.h"
#include "heap/literal.h"
#include "term/atom.h"
#include "term/compare.h"
#include "term/fun.h"
#include "term/node.h"

#include <stdlib.h>
#include <string.h>

#define OPEN_MAX_HERE 5
#define BYTES_MAX_HERE 50000

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Term node_names[2];

/* Of one connection. */
static AtomCacheIn received, said_and_read;
static AtomCacheOut said;
static Fragments fragments;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    thread_progress_register();
    atom_table_init((size_t)1 << 26);
    node_table_init();
    literal_span_init();
    export_table_init();
    fun_table_init();
    node_names[0] = atom_from_cstring("answers@localhost");
    node_names[1] = atom_from_cstring("asks@localhost");
    return 0;
}

/* A message whose headers are gone. */
typedef struct {
    const uint8_t *bytes;
    size_t size;
    const Term *atoms;
    unsigned atom_count;
    bool pass_through;
} Message;

/* The part that begins at *from, which is its end then; NON_VALUE: it is none. */
static Term decode(const Message *m, size_t *from, Area *area) {
    EtfDecoder d;
    int64_t work = INT64_MAX;
    if (m->pass_through)
        etf_decoder_init(&d, m->bytes + *from, m->size - *from, 0);
    else
        etf_decoder_init_received(&d, m->bytes + *from, m->size - *from, m->atoms, m->atom_count);
    bool good = etf_decoder_check(&d, &work) == ETF_DONE && etf_decoder_build(&d, area, &work) == ETF_DONE;
    require(!good || d.used <= m->size - *from);
    *from += good ? d.used : 0;
    Term t = good ? d.result : NON_VALUE;
    etf_decoder_release(&d);
    return t;
}

/* Control message or payload: one part, for the caller to release. */
static EtfBytes encode(Term t, EtfAtoms *atoms, Area *area) {
    EtfEncoder e;
    EtfBytes part;
    int64_t work = INT64_MAX;
    etf_encoder_init_sent(&e, t, ETF_WRITE, atoms, 0);
    require(etf_encoder_run(&e, area, &work) == ETF_DONE && etf_encoder_take(&e, &part) == 1);
    etf_encoder_release(&e);
    return part;
}

static void say(Term control, Term payload, Area *area) {
    EtfAtoms atoms;
    HeaderOut h;
    HeaderIn read;
    etf_atoms_clear(&atoms);
    EtfBytes first = encode(control, &atoms, area), second = encode(payload, &atoms, area);
    header_out_prepare(&h, &said, &atoms);
    size_t size = h.size + first.size + second.size, at = 0;
    uint8_t *bytes = malloc(size);
    header_out_write(&h, HEADER_NORMAL, NULL, bytes);
    memcpy(bytes + h.size, first.bytes, first.size);
    memcpy(bytes + h.size + first.size, second.bytes, second.size);
    require(header_in_read(&read, &said_and_read, bytes, size) == HEADER_READ && read.size == h.size);
    Message m = {bytes + h.size, size - h.size, read.atoms, read.atom_count, false};
    require(term_identical(decode(&m, &at, area), control) && term_identical(decode(&m, &at, area), payload));
    require(at == m.size);
    etf_bytes_release(&first);
    etf_bytes_release(&second);
    free(bytes);
}

static void take_message(const Message *m) {
    FragmentArea fa;
    Control c;
    size_t at = 0;
    fragment_area_init(&fa, 0);
    Term control = decode(m, &at, &fa.area);
    if (is_value(control) && control_read(control, &c)) {
        Control again;
        Term made = control_make(&fa.area, &c), payload = NIL;
        require(control_read(made, &again) && again.op == c.op && again.id == c.id && again.flags == c.flags);
        if (control_has_payload(c.op))
            payload = decode(m, &at, &fa.area);
        if (is_value(payload))
            say(made, payload, &fa.area);
    }
    fragment_area_drop(&fa);
}

static void take_bytes(const uint8_t *bytes, size_t size) {
    HeaderIn h;
    if (header_in_read(&h, &received, bytes, size) != HEADER_READ)
        return;
    require(h.size <= size && h.atom_count <= ETF_ATOMS_MAX);
    if (h.kind == HEADER_NORMAL || h.kind == HEADER_PASS_THROUGH) {
        Message m = {bytes + h.size, size - h.size, h.atoms, h.atom_count, h.kind == HEADER_PASS_THROUGH};
        take_message(&m);
        return;
    }
    Assembly *whole;
    FragmentsStatus status = fragments_add(&fragments, &h, bytes + h.size, size - h.size, &whole);
    require((status == FRAGMENTS_WHOLE) == (whole != NULL) && fragments.open <= OPEN_MAX_HERE &&
            fragments.bytes <= BYTES_MAX_HERE);
    if (whole == NULL)
        return;
    Message m = {whole->bytes->bytes, whole->size, whole->atoms, whole->atom_count, false};
    take_message(&m);
    assembly_free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Reader in = reader_make(data, size);
    unsigned node = reader_u8(&in) % 2;
    node_this_set(node_names[node], 1001 + node);
    atom_cache_in_init(&received);
    atom_cache_in_init(&said_and_read);
    atom_cache_out_init(&said);
    fragments_init(&fragments, OPEN_MAX_HERE, BYTES_MAX_HERE);
    while (reader_left(&in) > 0) {
        size_t high = reader_u8(&in), bytes = high << 16 | reader_u16(&in);
        bytes = bytes < reader_left(&in) ? bytes : reader_left(&in);
        uint8_t *exact = malloc(bytes); /* so that a sanitizer sees a step outside */
        memcpy(exact, reader_take(&in, bytes), bytes);
        take_bytes(exact, bytes);
        free(exact);
    }
    fragments_release(&fragments);
    return 0;
}
