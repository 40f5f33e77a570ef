/*
 * Files and directories of the system, with the small corrections that Erlang's file functions make to POSIX: what is
 * a directory is not opened as a file, a directory that is not empty "exists", and so on.
 *
 * Every function returns 0 or an errno value. Paths end with NUL and are in the system's encoding. Interrupted calls
 * are repeated. All may block: call them on a thread that may (dirty I/O). No locks, no allocation of ours. Source of
 * the behaviour: file(3), as answered by OTP 25.
 */
#ifndef VIV_SYS_FILE_H
#define VIV_SYS_FILE_H

#include "base/defs.h"

#include <sys/stat.h>
#include <sys/uio.h>

enum {
    FILE_READ = 1,
    FILE_WRITE = 2,
    FILE_APPEND = 4,         /* implies write */
    FILE_EXCLUSIVE = 8,      /* implies write; the file must not exist */
    FILE_SYNC = 16,
    FILE_DIRECTORY = 32,     /* open a directory (enotdir when it is none) */
    FILE_ANY_TYPE = 64,      /* do not look at the type at all */
};
int file_open(const char *path, unsigned modes, int *fd);
int file_close(int fd);

/* All of `bytes`, which may have to be waited for (a pipe); *got is less at the end of the file, 0 behind it.
 * `offset` < 0: at the position. */
int file_read(int fd, int64_t offset, void *buffer, size_t bytes, size_t *got);
/* All of it, straight to the descriptor: nothing stays in a buffer that another writer could overtake. What cannot be
 * written is dropped. */
void file_write_out(int fd, const char *bytes, size_t count);
/* The same, in the form of all that the stock runtime prints by itself: lines end by CR and LF, wherever they go. */
void file_write_lines(int fd, const char *text, size_t count);
/* Does it take something now, or an error, without waiting? */
bool file_is_writable(int fd);
/* All of it. The vector is used up. */
int file_write(int fd, int64_t offset, struct iovec *vector, size_t count);
typedef enum { SEEK_FROM_START, SEEK_FROM_CURRENT, SEEK_FROM_END } SeekFrom;
int file_seek(int fd, SeekFrom from, int64_t offset, int64_t *position);
int file_sync(int fd, bool data_only);
int file_truncate_here(int fd);
int file_allocate(int fd, int64_t offset, int64_t length);
int file_advise(int fd, int64_t offset, int64_t length, int posix_advice);

typedef struct {
    struct stat stat;
    bool readable, writable; /* by this program's user */
} FileInfo;
int file_info(const char *path, bool follow_links, FileInfo *info);
int file_handle_info(int fd, FileInfo *info);
int file_set_permissions(const char *path, uint32_t permissions);
int file_set_owner(const char *path, int64_t user, int64_t group); /* -1: as it is */
int file_set_times(const char *path, int64_t access_seconds, int64_t modification_seconds);

/* Calls each(name, data) for every entry but . and .. */
int directory_list(const char *path, void (*each)(const char *name, size_t bytes, void *data), void *data);
/* Not terminated by NUL. */
#define FILE_NAME_ROOM 8192 /* more than the system's PATH_MAX */
int file_read_link(const char *path, char text[FILE_NAME_ROOM], size_t *bytes);
int file_current_directory(char text[FILE_NAME_ROOM], size_t *bytes);

int file_delete(const char *path);
int directory_delete(const char *path);
int directory_make(const char *path);
int file_rename(const char *from, const char *to);

#endif
