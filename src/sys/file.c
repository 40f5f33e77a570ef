#include "sys/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Linux moves at most this many bytes in one call. */
#define TRANSFER_MAX ((size_t)0x7ffff000)

#define retry(call)                                                                                                    \
    ({                                                                                                                 \
        typeof(call) result_;                                                                                          \
        do                                                                                                             \
            result_ = (call);                                                                                          \
        while (result_ < 0 && errno == EINTR);                                                                         \
        result_;                                                                                                       \
    })
#define status(call) (retry(call) < 0 ? errno : 0)

static int open_flags(unsigned modes) {
    int flags = O_CLOEXEC;
    if (modes & (FILE_APPEND | FILE_EXCLUSIVE))
        modes |= FILE_WRITE;
    switch (modes & (FILE_READ | FILE_WRITE)) {
    case FILE_READ | FILE_WRITE: flags |= O_RDWR | O_CREAT; break;
    case FILE_WRITE: flags |= O_WRONLY | O_CREAT | (modes & FILE_APPEND ? 0 : O_TRUNC); break;
    default: flags |= O_RDONLY; break;
    }
    if (modes & FILE_APPEND)
        flags = (flags & ~O_TRUNC) | O_APPEND;
    if (modes & FILE_EXCLUSIVE)
        flags |= O_EXCL;
    if (modes & FILE_SYNC)
        flags |= O_SYNC;
    if (modes & FILE_DIRECTORY)
        flags |= O_DIRECTORY;
    return flags;
}

int file_open(const char *path, unsigned modes, int *fd) {
    int opened = retry(open(path, open_flags(modes), 0666));
    if (opened < 0)
        return errno;
    struct stat st;
    if (!(modes & (FILE_ANY_TYPE | FILE_DIRECTORY)) && fstat(opened, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(opened);
        return EISDIR;
    }
    *fd = opened;
    return 0;
}

/* After EINTR the descriptor is gone all the same (Linux): never twice. */
int file_close(int fd) { return close(fd) < 0 && errno != EINTR ? errno : 0; }

int file_read(int fd, int64_t offset, void *buffer, size_t bytes, size_t *got) {
    *got = 0;
    while (*got < bytes) {
        char *to = (char *)buffer + *got;
        size_t want = bytes - *got < TRANSFER_MAX ? bytes - *got : TRANSFER_MAX;
        ssize_t n = offset < 0 ? retry(read(fd, to, want)) : retry(pread(fd, to, want, offset + (int64_t)*got));
        if (n < 0)
            return *got ? 0 : errno;
        if (n == 0) /* less than was wanted says nothing: so much a pipe had just then */
            break;
        *got += (size_t)n;
    }
    return 0;
}

int file_write(int fd, int64_t offset, struct iovec *vector, size_t count) {
    while (count) {
        if (vector->iov_len == 0) {
            vector++, count--;
            continue;
        }
        int some = count < IOV_MAX ? (int)count : IOV_MAX;
        ssize_t n = offset < 0 ? retry(writev(fd, vector, some)) : retry(pwritev(fd, vector, some, offset));
        if (n < 0)
            return errno;
        if (offset >= 0)
            offset += n;
        for (size_t left = (size_t)n; left;) {
            size_t step = left < vector->iov_len ? left : vector->iov_len;
            vector->iov_base = (char *)vector->iov_base + step;
            vector->iov_len -= step;
            left -= step;
            if (vector->iov_len == 0)
                vector++, count--;
        }
    }
    return 0;
}

int file_seek(int fd, SeekFrom from, int64_t offset, int64_t *position) {
    static const int whence[] = {SEEK_SET, SEEK_CUR, SEEK_END};
    *position = lseek(fd, offset, whence[from]);
    return *position < 0 ? errno : 0;
}

int file_sync(int fd, bool data_only) { return data_only ? status(fdatasync(fd)) : status(fsync(fd)); }

int file_truncate_here(int fd) {
    off_t here = lseek(fd, 0, SEEK_CUR);
    return here < 0 ? errno : status(ftruncate(fd, here));
}

int file_allocate(int fd, int64_t offset, int64_t length) {
    int error = status(fallocate(fd, 0, offset, length));
    return error == EOPNOTSUPP ? posix_fallocate(fd, offset, length) : error;
}

int file_advise(int fd, int64_t offset, int64_t length, int posix_advice) {
    return posix_fadvise(fd, offset, length, posix_advice);
}

int file_info(const char *path, bool follow_links, FileInfo *info) {
    if ((follow_links ? stat(path, &info->stat) : lstat(path, &info->stat)) < 0)
        return errno;
    info->readable = access(path, R_OK) == 0;
    info->writable = access(path, W_OK) == 0;
    return 0;
}

int file_handle_info(int fd, FileInfo *info) {
    if (fstat(fd, &info->stat) < 0)
        return errno;
    info->readable = faccessat(fd, "", R_OK, AT_EMPTY_PATH) == 0;
    info->writable = faccessat(fd, "", W_OK, AT_EMPTY_PATH) == 0;
    return 0;
}

int file_set_permissions(const char *path, uint32_t permissions) {
    const mode_t settable = S_ISUID | S_ISGID | S_IRWXU | S_IRWXG | S_IRWXO;
    return status(chmod(path, permissions & settable));
}

int file_set_owner(const char *path, int64_t user, int64_t group) {
    return status(chown(path, (uid_t)user, (gid_t)group));
}

int file_set_times(const char *path, int64_t access_seconds, int64_t modification_seconds) {
    struct timespec times[2] = {{.tv_sec = access_seconds}, {.tv_sec = modification_seconds}};
    return status(utimensat(AT_FDCWD, path, times, 0));
}

int directory_list(const char *path, void (*each)(const char *name, size_t bytes, void *data), void *data) {
    DIR *dir = opendir(path);
    if (!dir)
        return errno;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            each(entry->d_name, strlen(entry->d_name), data);
    closedir(dir);
    return 0;
}

int file_read_link(const char *path, char text[FILE_NAME_ROOM], size_t *bytes) {
    ssize_t n = readlink(path, text, FILE_NAME_ROOM);
    if (n < 0)
        return errno;
    *bytes = (size_t)n;
    return n == FILE_NAME_ROOM ? ENAMETOOLONG : 0;
}

int file_current_directory(char text[FILE_NAME_ROOM], size_t *bytes) {
    if (!getcwd(text, FILE_NAME_ROOM))
        return errno;
    *bytes = strlen(text);
    return 0;
}

/* Linux says EISDIR where POSIX says EPERM. */
int file_delete(const char *path) {
    int error = status(unlink(path));
    return error == EISDIR ? EPERM : error;
}

static bool is_current_directory(const char *path) {
    struct stat here, there;
    return stat(".", &here) == 0 && stat(path, &there) == 0 && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
}

int directory_delete(const char *path) {
    int error = status(rmdir(path));
    if (error == ENOTEMPTY)
        error = EEXIST;
    return error == EEXIST && is_current_directory(path) ? EINVAL : error;
}

int directory_make(const char *path) { return status(mkdir(path, 0777)); }

/* The kernel says of the root that it is busy; that it cannot be moved is true of this name alone. */
int file_rename(const char *from, const char *to) {
    int error = status(rename(from, to));
    if (error != 0 && strcmp(from, "/") == 0)
        return EINVAL;
    return error == ENOTEMPTY ? EEXIST : error;
}

static bool is_writable(int fd, int milliseconds) {
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    return poll(&p, 1, milliseconds) != 0;
}

bool file_is_writable(int fd) { return is_writable(fd, 0); }

void file_write_out(int fd, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t n = write(fd, bytes, count);
        if (n < 0 && errno == EAGAIN)
            (void)is_writable(fd, -1);
        else if (n < 0 && errno != EINTR)
            return;
        if (n > 0) {
            bytes += n;
            count -= (size_t)n;
        }
    }
}

void file_write_lines(int fd, const char *text, size_t count) {
    for (const char *end; count > 0 && (end = memchr(text, '\n', count)) != NULL;) {
        size_t size = (size_t)(end - text);
        file_write_out(fd, text, size);
        file_write_out(fd, "\r\n", 2);
        text += size + 1;
        count -= size + 1;
    }
    file_write_out(fd, text, count);
}
