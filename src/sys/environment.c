#include "sys/environment.h"

Mutex environment_lock = MUTEX_INITIALIZER(LOCK_ENVIRONMENT);
