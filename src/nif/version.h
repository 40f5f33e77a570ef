/* The versions of the interfaces for libraries in C, as enif_system_info and erlang:system_info/1 tell them. */
#ifndef VIV_NIF_VERSION_H
#define VIV_NIF_VERSION_H

/* That of include/erl_nif.h: nif/system.c asserts it. */
#define NIF_MAJOR_VERSION 2
#define NIF_MINOR_VERSION 17
/* Of erl_driver(3), OTP 25: there are no drivers, but erl_drv_nif.h has its types. */
#define DRIVER_MAJOR_VERSION 3
#define DRIVER_MINOR_VERSION 3

#endif
