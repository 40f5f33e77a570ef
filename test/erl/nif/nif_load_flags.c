#define LIBRARY "flags"
#define NIF_FLAGS 7
#include "nif_load.h"
