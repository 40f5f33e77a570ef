/*
 * Where the OTP libraries are: --otp, else VIV_OTP_ROOT, else the places where distributions put them.
 */
#ifndef VIV_INIT_OTP_ROOT_H
#define VIV_INIT_OTP_ROOT_H

#include "base/defs.h"

struct Text;

#define OTP_ROOT_PLACES_MAX 8

/* Where distributions put OTP. */
#define OTP_USUAL_PLACES 4
extern const char *const otp_usual_places[OTP_USUAL_PLACES];

typedef struct {
    const char *root; /* NULL: nowhere */
    const char *searched[OTP_ROOT_PLACES_MAX];
    unsigned searched_count;
    bool is_explicit; /* given by the user: nowhere else is looked */
} OtpRoot;

/* `option`: of --otp, or NULL. The strings are good for ever. */
void otp_root_find(OtpRoot *found, const char *option);

/* The folder that this program lies in, added to the text. False: nobody knows. */
bool otp_own_folder(struct Text *folder);

#endif
