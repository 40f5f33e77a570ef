/*
 * Names of the system's error numbers as Erlang spells them: errno_name(ENOENT) is "enoent". Those without a name of
 * their own are "unknown". Constant strings; no locks. Source: file(3), "POSIX Error Codes"; inet(3) for the rest.
 */
#ifndef VIV_SYS_ERRNO_NAME_H
#define VIV_SYS_ERRNO_NAME_H

const char *errno_name(int error);

#endif
