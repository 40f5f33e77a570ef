#define LIBRARY "major3"
#define CHANGE entry.major = 3
#include "nif_load_entry.h"
