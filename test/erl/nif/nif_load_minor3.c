#define LIBRARY "minor3"
#define CHANGE entry.minor = 3
#include "nif_load_entry.h"
