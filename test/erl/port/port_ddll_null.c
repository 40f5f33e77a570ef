/* A library that gives no driver. */
#include "erl_driver.h"

DRIVER_INIT(driver) { return NULL; }
