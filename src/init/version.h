/* The version of Vivarium, as `viv version` and `viv help` tell it and as release notes name it. */
#ifndef VIV_INIT_VERSION_H
#define VIV_INIT_VERSION_H

#define VIV_VERSION "0.1.0"

#endif
