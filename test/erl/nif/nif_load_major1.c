#define LIBRARY "major1"
#define CHANGE entry.major = 1
#include "nif_load_entry.h"
