#include "terminal/capabilities.h"

#include <string.h>
/* Macros of short names, such as `columns`, come with this one: it stands last. */
#include <curses.h>
#include <term.h>

static char name_many[GO_COUNT][8] = {[GO_UP] = "cuu", [GO_DOWN] = "cud", [GO_LEFT] = "cub", [GO_RIGHT] = "cuf"};
static char name_one[GO_COUNT][8] = {[GO_UP] = "cuu1", [GO_DOWN] = "cud1", [GO_LEFT] = "cub1", [GO_RIGHT] = "cuf1"};
static const char *many[GO_COUNT], *one[GO_COUNT]; /* written once */
static bool wraps, wraps_late;

static const char *string_named(char *name) {
    const char *string = tigetstr(name);
    return string == (char *)-1 ? NULL : string;
}

bool capabilities_load(void) {
    int error;
    if (setupterm(NULL, 1, &error) != OK)
        return false;
    for (Direction d = 0; d < GO_COUNT; d++) {
        many[d] = string_named(name_many[d]);
        one[d] = string_named(name_one[d]);
        if (many[d] == NULL && one[d] == NULL)
            return false;
    }
    static char am[] = "am", xenl[] = "xenl";
    wraps = tigetflag(am) > 0;
    wraps_late = tigetflag(xenl) > 0;
    return true;
}

/* Without the delays ($<...>) that terminals of old wanted. */
static void add(Text *to, const char *sequence) {
    while (*sequence != '\0') {
        size_t plain = strcspn(sequence, "$");
        text_bytes(to, sequence, plain);
        sequence += plain;
        const char *end = strncmp(sequence, "$<", 2) == 0 ? strchr(sequence, '>') : NULL;
        if (end != NULL)
            sequence = end + 1;
        else if (*sequence != '\0')
            text_byte(to, *sequence++);
    }
}

void capabilities_go(Text *to, Direction direction, unsigned count) {
    if (count > 1 && many[direction] != NULL)
        add(to, tiparm(many[direction], (int)count));
    else if (count > 0 && one[direction] == NULL)
        add(to, tiparm(many[direction], (int)count));
    else
        for (; count > 0; count--)
            add(to, one[direction]);
}

bool capabilities_wrap(void) { return wraps; }
bool capabilities_wrap_late(void) { return wraps_late; }
