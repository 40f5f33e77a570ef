#define LIBRARY "minor99_erts"
#define CHANGE (entry.minor = 99, entry.min_erts = "erts-99.0")
#include "nif_load_entry.h"
