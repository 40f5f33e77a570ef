#define LIBRARY "minor5"
#define CHANGE entry.minor = 5
#include "nif_load_entry.h"
