#include <erl_nif.h>
int this_library_has_no_nif_init;
