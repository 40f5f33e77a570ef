#define LIBRARY "second"
#include "nif_load.h"
