/*
 * Which OTP release and which version of its runtime this program stands for: what programs and native libraries are
 * told. Set once at start (bif/system/system_info.h), before any other thread runs; the texts end with NUL.
 */
#ifndef VIV_SYS_RELEASE_H
#define VIV_SYS_RELEASE_H

#define RELEASE_TEXT_MAX 32
int otp_release_number(void);
extern char otp_release[RELEASE_TEXT_MAX], erts_version[RELEASE_TEXT_MAX];

#endif
