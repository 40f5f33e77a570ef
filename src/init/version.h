/* The version that `viv version` prints. */
#ifndef VIV_INIT_VERSION_H
#define VIV_INIT_VERSION_H

#define VIV_VERSION "0.1.0"

#endif
