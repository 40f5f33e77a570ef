#include "sys/cpu_quota.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/defs.h"
#include "sys/release.h"

#define LINE_MAX_BYTES 4096
#define PATH_MAX_BYTES (3 * LINE_MAX_BYTES)

static unsigned count_of(int name) {
    long count = sysconf(name);
    return count > 0 ? (unsigned)count : 1;
}

unsigned cpu_count_configured(void) { return count_of(_SC_NPROCESSORS_CONF); }
unsigned cpu_count_online(void) { return count_of(_SC_NPROCESSORS_ONLN); }

/* Is `word` among the words of `list`, which `separators` part? */
static bool has_word(const char *list, const char *word, const char *separators) {
    size_t length = strlen(word);
    for (const char *at = list; *at != '\0'; at += strspn(at, separators)) {
        size_t here = strcspn(at, separators);
        if (here == length && memcmp(at, word, length) == 0)
            return true;
        at += here;
    }
    return false;
}

/* A hierarchy of groups that counts time: where it is mounted, and which of its groups stands there. */
typedef struct {
    char root[LINE_MAX_BYTES], place[LINE_MAX_BYTES];
    bool is_unified; /* version 2 */
} Mount;

/* A line of mountinfo; false: it is none of control groups. Some fields are optional, up to a hyphen. */
static bool read_mount(const char *line, Mount *m) {
    char type[LINE_MAX_BYTES], options[LINE_MAX_BYTES];
    const char *rest = strstr(line, " - ");
    int end = 0;
    if (rest == NULL || sscanf(line, "%*s %*s %*s %4095s %4095s %*s%n", m->root, m->place, &end) != 2 || end == 0 ||
        sscanf(rest, " - %4095s %*s %4095s", type, options) != 2)
        return false;
    if (line + end == rest && !release_has(RELEASE_QUOTA_OF_ANY_MOUNT))
        return false;
    m->is_unified = strcmp(type, "cgroup2") == 0;
    return m->is_unified || (strcmp(type, "cgroup") == 0 && has_word(options, "cpu", ","));
}

/* Calls with each line of a file until that is true. */
static bool find_line(const char *path, bool (*is_it)(const char *line, void *data), void *data) {
    char line[LINE_MAX_BYTES];
    FILE *in = fopen(path, "r");
    if (!in)
        return false;
    bool found = false;
    while (!found && fgets(line, sizeof line, in) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        found = is_it(line, data);
    }
    fclose(in);
    return found;
}

/* Of version 1 where there is one: time is counted in one of them only. */
static bool is_mount(const char *line, void *data) {
    Mount m;
    if (!read_mount(line, &m))
        return false;
    *(Mount *)data = m;
    return !m.is_unified;
}

/* The group of this program, as a path of the hierarchy. */
typedef struct {
    bool is_unified;
    char path[LINE_MAX_BYTES];
} Group;

/* hierarchy:controllers:path, where version 2 is `0` and has none. */
static bool is_group(const char *line, void *data) {
    Group *g = data;
    const char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (path == NULL)
        return false;
    char names[LINE_MAX_BYTES];
    snprintf(names, sizeof names, "%.*s", (int)(path - controllers - 1), controllers + 1);
    snprintf(g->path, sizeof g->path, "%s", path + 1);
    return g->is_unified ? strncmp(line, "0::", 3) == 0 : has_word(names, "cpu", ",");
}

/* The folder of the group below the mount. False: it is not mounted there. */
static bool group_folder(const Mount *m, const Group *g, char folder[PATH_MAX_BYTES]) {
    size_t root = strcmp(m->root, "/") == 0 ? 0 : strlen(m->root);
    if (strncmp(g->path, m->root, root) != 0 || (g->path[root] != '/' && g->path[root] != '\0'))
        return false;
    snprintf(folder, PATH_MAX_BYTES, "%s%s", m->place, strcmp(g->path, "/") == 0 ? "" : g->path + root);
    return true;
}

/* The text of a file of the group, "" when there is none. */
static const char *read_file(const char *folder, const char *name, char text[LINE_MAX_BYTES]) {
    char path[PATH_MAX_BYTES + 40];
    text[0] = '\0';
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "r");
    if (in && fgets(text, LINE_MAX_BYTES, in) == NULL)
        text[0] = '\0';
    if (in)
        fclose(in);
    return text;
}

static unsigned processors_for(long long share, long long of_period) {
    unsigned all = cpu_count_online();
    if (share <= 0 || of_period <= 0 || share / of_period >= all)
        return all;
    return share < of_period ? 1 : (unsigned)(share / of_period);
}

/* In microseconds. A quota that is no positive number ("max", -1) is no limit. */
static unsigned processors(const char *quota, const char *period) {
    long long of_period = strtoll(period, NULL, 10);
    return of_period <= 0 ? 0 : processors_for(strtoll(quota, NULL, 10), of_period);
}

/* Before RELEASE_QUOTA_OF_ANY_MOUNT what stands where version 2 is mounted counts, whatever the program's group is, and
 * no limit ("max") is not told. */
static unsigned quota_of_mount(const char *folder) {
    char text[LINE_MAX_BYTES];
    long long share, of_period;
    if (strstr(read_file(folder, "cgroup.controllers", text), "cpu ") == NULL ||
        sscanf(read_file(folder, "cpu.max", text), "%lld %lld", &share, &of_period) != 2)
        return 0;
    return processors_for(share, of_period);
}

static unsigned quota_in(const char *folder, bool is_unified) {
    char quota[LINE_MAX_BYTES], period[LINE_MAX_BYTES];
    if (!is_unified)
        return processors(read_file(folder, "cpu.cfs_quota_us", quota), read_file(folder, "cpu.cfs_period_us", period));
    if (!has_word(read_file(folder, "cgroup.controllers", period), "cpu", " \n"))
        return 0;
    const char *space = strchr(read_file(folder, "cpu.max", quota), ' ');
    return space == NULL ? 0 : processors(quota, space);
}

static unsigned quota;

static void find_quota(void) {
    static Mount m;
    static Group g;
    char folder[PATH_MAX_BYTES];
    find_line("/proc/self/mountinfo", is_mount, &m);
    g.is_unified = m.is_unified;
    if (m.is_unified && !release_has(RELEASE_QUOTA_OF_ANY_MOUNT))
        quota = quota_of_mount(m.place);
    else if (m.place[0] != '\0' && find_line("/proc/self/cgroup", is_group, &g) && group_folder(&m, &g, folder))
        quota = quota_in(folder, m.is_unified);
}

unsigned cpu_quota(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_quota);
    return quota;
}
