#define MODULE nif_killed_m
#include "nif_callbacks.c"
