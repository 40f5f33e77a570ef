/* The same, of which openers wait until it says that it has begun. */
#include <erl_driver.h>
#define LATE(name) name##_late
#define FLAGS ERL_DRV_FLAG_USE_INIT_ACK
#include "r_driver_fails.c"
