#define LIBRARY "variant"
#define CHANGE entry.vm_variant = "beam.chocolate"
#include "nif_load_entry.h"
