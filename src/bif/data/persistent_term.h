/* The table of persistent terms, as seen from outside. Any thread that may look at shared structures. */
#ifndef VIV_BIF_DATA_PERSISTENT_TERM_H
#define VIV_BIF_DATA_PERSISTENT_TERM_H

#include <stddef.h>

/* Chains, a power of two; 0 before the first term. */
size_t persistent_term_table_size(void);

#endif
