/* The table of persistent terms, as seen from outside. Any thread that may look at shared structures. */
#ifndef VIV_BIF_DATA_PERSISTENT_TERM_H
#define VIV_BIF_DATA_PERSISTENT_TERM_H

#include <stddef.h>

#include "term/term.h"

/* Chains, a power of two; 0 before the first term. */
size_t persistent_term_table_size(void);
/* Of all that there are. `area` holds what the two point to. */
struct LiteralArea;
void persistent_term_each(void (*each)(const Term *key, const Term *value, const struct LiteralArea *area, void *data),
                          void *data);

#endif
