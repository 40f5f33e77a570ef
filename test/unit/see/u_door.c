/*
 * The door's name in its folder is there only while somebody listens: who finds one at which nobody does may take it
 * away. So each time that the program is about to listen it is looked at whether the name is there.
 */
#include "see/door.h"

#include <dirent.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "unit.h"

static char folder[] = "/tmp/viv-u_door-XXXXXX";
static struct sockaddr_un expected = {.sun_family = AF_UNIX};
static unsigned listened;
static bool was_refused; /* by the name, just before the program listened */

static bool is_refused(void) {
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    bool is = connect(fd, (const struct sockaddr *)&expected, sizeof expected) != 0;
    close(fd);
    return is;
}

int __real_listen(int fd, int backlog);
int __wrap_listen(int fd, int backlog);
int __wrap_listen(int fd, int backlog) {
    listened++;
    was_refused = access(expected.sun_path, F_OK) == 0 && is_refused();
    return __real_listen(fd, backlog);
}

static unsigned names_in(const char *name) {
    unsigned count = 0;
    DIR *opened = opendir(name);
    assert_non_null(opened);
    for (const struct dirent *entry; (entry = readdir(opened)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(opened);
    return count;
}

static void it_listens_before_it_has_its_name(void **state) {
    char within[sizeof folder + 4];
    struct stat info;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("XDG_RUNTIME_DIR", folder, 1), 0);
    (void)snprintf(within, sizeof within, "%s/viv", folder);
    (void)snprintf(expected.sun_path, sizeof expected.sun_path, "%s/%d", within, (int)getpid());
    see_door_open();
    assert_string_equal(see_door_name(), expected.sun_path);
    assert_int_equal(listened, 1);
    assert_false(was_refused);
    assert_false(is_refused());
    assert_int_equal(stat(expected.sun_path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(names_in(within), 1);
    assert_int_equal(unlink(expected.sun_path), 0);
    assert_int_equal(rmdir(within), 0);
    assert_int_equal(rmdir(folder), 0);
}

UNIT_TESTS(unit(it_listens_before_it_has_its_name))
