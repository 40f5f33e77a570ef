#define LIBRARY "minor15"
#include "nif_load_entry.h"
