#define LIBRARY "no_entry"
#define ENTRY NULL
#include "nif_load_entry.h"
