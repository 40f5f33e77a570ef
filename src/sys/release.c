#include "sys/release.h"

char otp_release[RELEASE_TEXT_MAX] = "25", erts_version[RELEASE_TEXT_MAX] = "13.1.5";
