#define VERSION 2
#include "nif_callbacks.c"
