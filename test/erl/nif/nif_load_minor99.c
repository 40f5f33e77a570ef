#define LIBRARY "minor99"
#define CHANGE entry.minor = 99
#include "nif_load_entry.h"
