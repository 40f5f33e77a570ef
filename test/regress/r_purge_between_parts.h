#include "../erl/nif/nif_test.h"

#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

typedef struct {
    atomic_int released, parts;
} Cell;
