/*
 * Large binaries, by the lists of what heaps hold outside of themselves. Each is written when it is first met, and
 * marked then in its flags: nobody else will read those any more.
 */
#include "bif/data/persistent_term.h"
#include "code/module.h"
#include "dump/external.h"
#include "dump/processes.h"
#include "dump/sections.h"
#include "dump/terms.h"
#include "heap/literal.h"
#include "process/message.h"
#include "term/refc_binary.h"

#define IS_WRITTEN (1u << 31)

static void put_binary(Text *to, RefcBinary *b) {
    if ((b->flags & (IS_WRITTEN | BYTES_ARE_ELSEWHERE)) != 0 || b->destructor != NULL)
        return;
    b->flags |= IS_WRITTEN;
    text_string(to, "=binary:");
    dump_hex(to, (uintptr_t)b);
    text_byte(to, '\n');
    dump_bytes(to, b->bytes, 0, b->size);
    text_byte(to, '\n');
}

static void put_list(Text *to, const OffHeap *o) {
    for (; o != NULL; o = o->next)
        if (header_kind(o->header) == KIND_BIN_REF)
            put_binary(to, ((const BinRef *)o)->binary);
}

static void put_fragments(Text *to, const Fragment *f) {
    for (; f != NULL; f = f->next)
        put_list(to, f->off_heap);
}

static void put_messages(Text *to, const Process *p) {
    for (const Message *m = p->messages; m != NULL; m = (const Message *)m->signal.next) {
        if (m->is_in_heap)
            continue;
        put_list(to, m->off_heap);
        put_fragments(to, m->data);
    }
}

static void put_process(Process *p, void *data) {
    Text *to = data;
    put_list(to, p->heap.area.off_heap);
    put_list(to, p->heap.old_off_heap);
    put_fragments(to, p->heap.fragments);
    put_messages(to, p);
}

static void put_area(Text *to, const LiteralArea *area) {
    if (area != NULL)
        put_list(to, area->area.off_heap);
}

static void put_module(void *entry, void *data) {
    const Module *m = entry;
    const ModuleInstance *now = module_current(m), *old = module_old(m);
    if (now != NULL)
        put_area(data, now->literals);
    if (old != NULL)
        put_area(data, old->literals);
}

static void put_persistent(const Term *key, const Term *value, const LiteralArea *area, void *data) {
    put_area(data, area);
}

void dump_binaries(Text *to) {
    dump_each_heap(put_process, to);
    module_each(put_module, to);
    persistent_term_each(put_persistent, to);
}
