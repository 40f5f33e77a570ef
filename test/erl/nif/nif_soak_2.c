/* The same under another name: the two take turns. */
#define VERSION 2
#include "nif_soak.c"
