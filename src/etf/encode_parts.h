/*
 * What encoding and counting share: the stack of what is still to be done (etf/encode.c says what its items are).
 */
#ifndef VIV_ETF_ENCODE_PARTS_H
#define VIV_ETF_ENCODE_PARTS_H

#include "etf/encode.h"
#include "term/map_trie.h"

enum { ITEM_TERM, ITEM_RUN, ITEM_CELLS, ITEM_NODE, ITEM_FUN_END };

#define ETF_STRING_MAX 65535
#define ETF_V3_PORT_MAX (((uint64_t)1 << 28) - 1) /* larger numbers need the newer form */
#define ETF_BYTES_PER_WORK 64

/* The encoder has no items. */
static inline void etf_items_init(EtfEncoder *e) {
    e->items = e->fixed_items;
    e->item_count = 0;
    e->item_capacity = ETF_ITEMS_FIXED;
    e->frozen_item_count = 0;
}
/* All else, but for its form: no bytes are written. */
void etf_encoder_init_bytes(EtfEncoder *e, EtfMode mode);
void etf_items_grow(EtfEncoder *e);
static inline void etf_push(EtfEncoder *e, uint8_t kind, size_t count, Term term) {
    if (unlikely(e->item_count == e->item_capacity))
        etf_items_grow(e);
    e->items[e->item_count++] = (EtfItem){kind, count, term};
}
/* The newest that are frozen have their terms again. */
void etf_items_thaw(EtfEncoder *e);
/* There is one. */
static inline EtfItem *etf_newest_item(EtfEncoder *e) {
    if (unlikely(e->item_count == e->frozen_item_count))
        etf_items_thaw(e);
    return &e->items[e->item_count - 1];
}
/* All have their terms again. */
void etf_pieces_thaw(EtfEncoder *e);
static inline void etf_push_node(EtfEncoder *e, Term node) {
    etf_push(e, ITEM_NODE, node_count(boxed_ptr(node)), node);
}
static inline const Term *etf_last_words(Term object, size_t count) {
    return boxed_ptr(object) + header_arity(boxed_header(object)) + 1 - count;
}
/* A pid, port or reference of this node, in a term in local form: nil stands for the node. */
static inline bool etf_names_no_node(const EtfForm *form, Term t) {
    return (form->flags & ETF_LOCAL) && !is_external_pid(t) && !is_external_port(t) && !is_external_ref(t);
}
/* etf_encoder_run for ETF_COUNT. */
EtfStatus etf_encoder_count(EtfEncoder *e, int64_t *work);

#endif
