#include "base/waiting.h"

__thread _Atomic uint64_t waiting_for;
