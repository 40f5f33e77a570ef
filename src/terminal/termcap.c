#include "terminal/termcap.h"

#include <curses.h>
#include <term.h>

#define CAPABILITIES_BYTES 4096

bool termcap_load(const char *terminal) {
    static char entry[CAPABILITIES_BYTES];
    return tgetent(entry, terminal) > 0;
}

int termcap_number(const char *name) { return tgetnum(name); }
bool termcap_flag(const char *name) { return tgetflag(name) > 0; }

const char *termcap_string(const char *name) {
    static char room[CAPABILITIES_BYTES];
    char *at = room;
    return tgetstr(name, &at);
}

const char *termcap_go(const char *sequence, int column, int row) { return tgoto(sequence, column, row); }
