#define LIBRARY "good"
#include "nif_load.h"
