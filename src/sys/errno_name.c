#include "sys/errno_name.h"

#include "base/defs.h"

#include <errno.h>

/* clang-format off */
static const char *const names[] = {
    [EPERM] = "eperm", [ENOENT] = "enoent", [ESRCH] = "esrch", [EINTR] = "eintr", [EIO] = "eio", [ENXIO] = "enxio",
    [E2BIG] = "e2big", [ENOEXEC] = "enoexec", [EBADF] = "ebadf", [ECHILD] = "echild", [EAGAIN] = "eagain",
    [ENOMEM] = "enomem", [EACCES] = "eacces", [EFAULT] = "efault", [ENOTBLK] = "enotblk", [EBUSY] = "ebusy",
    [EEXIST] = "eexist", [EXDEV] = "exdev", [ENODEV] = "enodev", [ENOTDIR] = "enotdir", [EISDIR] = "eisdir",
    [EINVAL] = "einval", [ENFILE] = "enfile", [EMFILE] = "emfile", [ENOTTY] = "enotty", [ETXTBSY] = "etxtbsy",
    [EFBIG] = "efbig", [ENOSPC] = "enospc", [ESPIPE] = "espipe", [EROFS] = "erofs", [EMLINK] = "emlink",
    [EPIPE] = "epipe", [EDOM] = "edom", [ERANGE] = "erange", [EDEADLK] = "edeadlk", [ENAMETOOLONG] = "enametoolong",
    [ENOLCK] = "enolck", [ENOSYS] = "enosys", [ENOTEMPTY] = "enotempty", [ELOOP] = "eloop", [ENOMSG] = "enomsg",
    [EIDRM] = "eidrm", [ECHRNG] = "echrng", [EL2NSYNC] = "el2nsync", [EL3HLT] = "el3hlt", [EL3RST] = "el3rst",
    [ELNRNG] = "elnrng", [EUNATCH] = "eunatch", [ENOCSI] = "enocsi", [EL2HLT] = "el2hlt", [EBADE] = "ebade",
    [EBADR] = "ebadr", [EXFULL] = "exfull", [ENOANO] = "enoano", [EBADRQC] = "ebadrqc", [EBADSLT] = "ebadslt",
    [EBFONT] = "ebfont", [ENOSTR] = "enostr", [ENODATA] = "enodata", [ETIME] = "etime", [ENOSR] = "enosr",
    [ENONET] = "enonet", [ENOPKG] = "enopkg", [EREMOTE] = "eremote", [ENOLINK] = "enolink", [EADV] = "eadv",
    [ESRMNT] = "esrmnt", [ECOMM] = "ecomm", [EPROTO] = "eproto", [EMULTIHOP] = "emultihop", [EDOTDOT] = "edotdot",
    [EBADMSG] = "ebadmsg", [EOVERFLOW] = "eoverflow", [ENOTUNIQ] = "enotuniq", [EBADFD] = "ebadfd",
    [EREMCHG] = "eremchg", [ELIBACC] = "elibacc", [ELIBBAD] = "elibbad", [ELIBSCN] = "elibscn", [ELIBMAX] = "elibmax",
    [ELIBEXEC] = "elibexec", [EILSEQ] = "eilseq", [ERESTART] = "erestart", [ESTRPIPE] = "estrpipe",
    [EUSERS] = "eusers", [ENOTSOCK] = "enotsock", [EDESTADDRREQ] = "edestaddrreq", [EMSGSIZE] = "emsgsize",
    [EPROTOTYPE] = "eprototype", [ENOPROTOOPT] = "enoprotoopt", [EPROTONOSUPPORT] = "eprotonosupport",
    [ESOCKTNOSUPPORT] = "esocktnosupport", [EPFNOSUPPORT] = "epfnosupport", [EAFNOSUPPORT] = "eafnosupport",
    [EADDRINUSE] = "eaddrinuse", [EADDRNOTAVAIL] = "eaddrnotavail", [ENETDOWN] = "enetdown",
    [ENETUNREACH] = "enetunreach", [ENETRESET] = "enetreset", [ECONNABORTED] = "econnaborted",
    [ECONNRESET] = "econnreset", [ENOBUFS] = "enobufs", [EISCONN] = "eisconn", [ENOTCONN] = "enotconn",
    [ESHUTDOWN] = "eshutdown", [ETOOMANYREFS] = "etoomanyrefs", [ETIMEDOUT] = "etimedout",
    [ECONNREFUSED] = "econnrefused", [EHOSTDOWN] = "ehostdown", [EHOSTUNREACH] = "ehostunreach",
    [EALREADY] = "ealready", [EINPROGRESS] = "einprogress", [ESTALE] = "estale", [EUCLEAN] = "euclean",
    [ENOTNAM] = "enotnam", [ENAVAIL] = "enavail", [EISNAM] = "eisnam", [EREMOTEIO] = "eremoteio", [EDQUOT] = "edquot",
    [ENOMEDIUM] = "enomedium", [EMEDIUMTYPE] = "emediumtype", [ECANCELED] = "ecanceled", [ENOKEY] = "enokey",
    [EKEYEXPIRED] = "ekeyexpired", [EKEYREVOKED] = "ekeyrevoked", [EKEYREJECTED] = "ekeyrejected",
    [EOWNERDEAD] = "eownerdead", [ENOTRECOVERABLE] = "enotrecoverable", [ERFKILL] = "erfkill",
    [EHWPOISON] = "ehwpoison",
    [EOPNOTSUPP] = "enotsup",
};
/* clang-format on */

const char *errno_name(int error) {
    if (error <= 0 || (size_t)error >= array_length(names) || !names[error])
        return "unknown";
    return names[error];
}
