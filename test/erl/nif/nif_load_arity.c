#define LIBRARY "arity"
#define FUNCTIONS {"which", 1, which, 0}
#include "nif_load.h"
