#define LIBRARY "other_name"
#define MODULE some_other_module
#include "nif_load.h"
