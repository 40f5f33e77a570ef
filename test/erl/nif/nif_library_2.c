/* The same library's next version. */
#define VERSION 2
#include "nif_library.c"
