/*
 * What erl_driver.h takes from the machine: a stretch of memory as writev(2) has it.
 *
 * Written for Vivarium; compatible at source level with the header of the same name of OTP 25 to 27.
 */
#ifndef __DRIVER_INT_H__
#define __DRIVER_INT_H__

#include "erl_drv_nif.h"

#endif
