#define LIBRARY "twice"
#define FUNCTIONS {"which", 0, which, 0}, {"which", 0, which, 0}
#include "nif_load.h"
