#define MODULE nif_on_load_m
#include "nif_callbacks.c"
