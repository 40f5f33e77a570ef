#include "process/process.h"

#include "code/export.h"
#include "process/route.h"

ProcessEntries process_entries;

const Word *process_place(const Process *p) {
    return p->ip == process_entries.enter_export ? export_target(p->entered, code_active()) : p->ip;
}

Routes routes;
