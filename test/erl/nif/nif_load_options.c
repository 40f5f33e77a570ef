#define LIBRARY "options"
#define CHANGE entry.options = 2
#include "nif_load_entry.h"
