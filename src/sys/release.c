#include "sys/release.h"

#include <stdlib.h>

char otp_release[RELEASE_TEXT_MAX] = "25", erts_version[RELEASE_TEXT_MAX] = "13.1.5";
int otp_release_number = 25;

bool release_traits[RELEASE_TRAIT_COUNT];

void release_choose_number(int release) {
    otp_release_number = release;
    for (int i = 0; i < RELEASE_TRAIT_COUNT; i++)
        release_traits[i] = release >= release_trait_spans[i].first && release <= release_trait_spans[i].last;
}

void release_choose(void) { release_choose_number((int)strtol(otp_release, NULL, 10)); }
