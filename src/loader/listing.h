/*
 * What became of a module's code, as lines of text for lib/dis/viv_dis.erl. The parts of a line are separated by tabs;
 * words are counted from the start of the module's words, bytes from that of its native code.
 *
 *   o WORD                  a generic instruction, in the order of the file: what it became begins there; `-`: an
 *                           instruction before it took it along
 *   i WORD NAME OPERAND...  an instruction; @WORD is a place in the code, [N] words of a list follow
 *   n AT SIZE TEMPLATE      its native code, where there is any: `interpreter`, or `short` or `long` with a letter for
 *                           each operand (tools/gen_templates.py)
 *   x AT SIZE               its slow ends
 */
#ifndef VIV_LOADER_LISTING_H
#define VIV_LOADER_LISTING_H

#include "loader/emit.h"
#include "term/text.h"

struct ModuleInstance;

typedef struct Listing {
    bool has_native; /* is that wanted? */
    size_t code_size;
    Text text;
} Listing;

void listing_init(Listing *l, bool has_native);
void listing_release(Listing *l);
void listing_put(Listing *l, const struct ModuleInstance *m, const GenericModule *module, const EmittedCode *emitted,
                 const NativeLayout *layout);

#endif
