/*
 * The items of process_info: each a function that builds the item's value from the process it is about.
 *
 * They run in that process (it owns what they read), and build in an area that need not be its own: the result may
 * refer to its terms, so it is copied before it goes to somebody else. Nothing collects.
 */
#ifndef VIV_BIF_PROCESS_PROCESS_INFO_H
#define VIV_BIF_PROCESS_PROCESS_INFO_H

#include "process/process.h"

typedef struct {
    Process *p;
    Area *area;
    bool is_self; /* p asks about itself: it is running */
} Subject;
typedef Term InfoItem(const Subject *s);
/* NULL when there is no such item. */
InfoItem *process_info_item(Term name);
/* The same of the items that are there at once, whatever the process has, and whose value is built in the area. */
InfoItem *process_info_small_item(Term name);
/* All of their names. */
Term process_info_names(Area *area);
/* By a built-in function that waits, and is not called again: the value of an item that has no name, of any local
 * process; undefined when there is none. */
Term process_info_ask(Process *p, Term pid, InfoItem *item);

#endif
