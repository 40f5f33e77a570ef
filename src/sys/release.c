#include "sys/release.h"

#include <stdlib.h>

char otp_release[RELEASE_TEXT_MAX] = "25", erts_version[RELEASE_TEXT_MAX] = "13.1.5";
int otp_release_number = 25;

void release_choose(void) { otp_release_number = (int)strtol(otp_release, NULL, 10); }
