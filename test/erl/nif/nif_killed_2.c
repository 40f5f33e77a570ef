#define VERSION 2
#define MODULE nif_killed_m
#include "nif_callbacks.c"
