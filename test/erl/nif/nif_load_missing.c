#define LIBRARY "missing"
#define FUNCTIONS {"which", 0, which, 0}, {"is_not_there", 3, which, 0}
#include "nif_load.h"
