#include "see/door.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/leave.h"
#include "base/thread_progress.h"
#include "heap/heap.h"
#include "process/reference.h"
#include "process/spawn.h"
#include "see/folder.h"
#include "sys/fd_poll.h"
#include "term/atom.h"
#include "term/node.h"
#include "term/refc_binary.h"

#define BACKLOG 128

static struct {
    int fd;
    char name[SEE_PATH_ROOM];
} door = {.fd = -1};

/* Other keys have these bits otherwise: process/fd_table.c, process/fd_wait.c, port/child_end.c. */
#define KEY_BITS ((uint64_t)7 << 29)
#define OURS ((uint64_t)1 << 29)
bool see_door_is_key(uint64_t key) { return (key & KEY_BITS) == OURS; }

const char *see_door_name(void) { return door.fd < 0 ? NULL : door.name; }

static void arm(void) { (void)fd_poll_arm(door.fd, FD_READ, OURS); }

/* --- the socket -------------------------------------------------------------------------------------------------- */

/* One of an earlier program with the same number left it: nobody listens. */
static bool is_left_behind(const struct sockaddr_un *address) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    bool refused = connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 && errno == ECONNREFUSED;
    close(fd);
    return refused;
}

/* Atomic: of two with the same number, each in a name space of its own, one has the name. */
static bool take_name(const char *from, const struct sockaddr_un *address) {
    const char *name = address->sun_path;
    return link(from, name) == 0 || (errno == EEXIST && is_left_behind(address) && rename(from, name) == 0);
}

static bool listens_at(int fd, const struct sockaddr_un *first, const struct sockaddr_un *address) {
    return chmod(first->sun_path, 0600) == 0 && listen(fd, BACKLOG) == 0 && take_name(first->sun_path, address);
}

/* Who looks for nodes takes away a name at which nobody listens, so it listens before it has that name: until then it
 * has one that is nobody's business, no longer than a number. */
static bool listens(int fd, const char *folder, const struct sockaddr_un *address) {
    struct sockaddr_un first = {.sun_family = AF_UNIX};
    unsigned chance = 0;
    if (getrandom(&chance, sizeof chance, 0) < 0)
        return false;
    (void)snprintf(first.sun_path, sizeof first.sun_path, "%s/.%06x", folder, chance & 0xffffff);
    if (bind(fd, (const struct sockaddr *)&first, sizeof first) != 0)
        return false;
    bool is = listens_at(fd, &first, address);
    (void)unlink(first.sun_path); /* it may have been renamed */
    return is;
}

static int open_in(const char *folder, char name[SEE_PATH_ROOM]) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/%d", folder, (int)getpid());
    if (length < 0 || (size_t)length >= sizeof address.sun_path || !see_folder_make(folder))
        return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (!listens(fd, folder, &address)) {
        close(fd);
        return -1;
    }
    memcpy(name, address.sun_path, SEE_PATH_ROOM);
    return fd;
}

/* At the end of the program. */
static void remove_name(void) { (void)unlink(door.name); }

void see_door_open(void) {
    char folder[SEE_PATH_ROOM];
    for (SeeFolder which = 0; which < FOLDERS && door.fd < 0; which++)
        if (see_folder_name(which, folder))
            door.fd = open_in(folder, door.name);
    if (door.fd < 0)
        return;
    runtime_leave_add(remove_name);
}

void see_door_watch(void) {
    if (door.fd >= 0)
        arm();
}

/* --- who is asked in --------------------------------------------------------------------------------------------- */

bool see_knock_destroy(RefcBinary *binary) {
    if (!((SeeKnock *)binary->bytes)->is_answered)
        arm();
    return true;
}

static Term knock_make(Area *area) {
    RefcBinary *binary = refc_magic_create(sizeof(SeeKnock), see_knock_destroy);
    reference_new_magic_numbers(binary->magic_numbers);
    ((SeeKnock *)binary->bytes)->is_answered = false;
    return magic_ref_make(area, binary->magic_numbers, binary);
}

/* Nobody can answer: he is sent away, or the door would wake us for ever. */
static void send_away(void) {
    SeeLink link;
    if (see_link_accept(&link, door.fd) == 0)
        see_link_release(&link);
}

/* What becomes of the knock decides when the door is armed: whoever drops it. */
void see_door_ready(void) {
    SpawnOptions options;
    spawn_options_init(&options);
    options.priority = PRIORITY_HIGH;
    thread_progress_enter();
    FragmentArea fa;
    fragment_area_init(&fa, 16);
    Term arguments = area_cons(&fa.area, knock_make(&fa.area), NIL);
    if (!is_value(process_spawn(NULL, am_viv_see, am_knocked, arguments, &options, NULL)))
        send_away();
    fragment_area_drop(&fa);
    thread_progress_leave();
}

int see_door_admit(SeeLink *link) {
    int error = see_link_accept(link, door.fd);
    if (error != EMFILE && error != ENFILE)
        arm();
    return error;
}
