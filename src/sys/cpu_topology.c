#include "sys/cpu_topology.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PATH_MAX_BYTES 100

static int compare_levels(const CpuPlace *a, const CpuPlace *b) {
    const int32_t of_a[] = {a->processor, a->node, a->processor_node, a->core, a->thread};
    const int32_t of_b[] = {b->processor, b->node, b->processor_node, b->core, b->thread};
    for (size_t i = 0; i < sizeof of_a / sizeof of_a[0]; i++)
        if (of_a[i] != of_b[i])
            return of_a[i] < of_b[i] ? -1 : 1;
    return (a->logical > b->logical) - (a->logical < b->logical);
}

static int compare(const void *a, const void *b) { return compare_levels(a, b); }
void cpu_topology_sort(CpuPlace *places, size_t count) { qsort(places, count, sizeof *places, compare); }

/* -1 when there is no such file. */
static int32_t number_in(int cpu, const char *name) {
    char path[PATH_MAX_BYTES];
    int number;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, name);
    FILE *in = fopen(path, "r");
    if (!in)
        return -1;
    bool read = fscanf(in, "%d", &number) == 1;
    fclose(in);
    return read ? number : -1;
}

/* The folder of a processor has a link to its node's. */
static int32_t node_of(int cpu) {
    char path[PATH_MAX_BYTES];
    int node = -1;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d", cpu);
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && node < 0 && (entry = readdir(dir)) != NULL;)
        if (sscanf(entry->d_name, "node%d", &node) != 1)
            node = -1;
    if (dir)
        closedir(dir);
    return node;
}

/* A processor with several nodes has them below itself. */
static void lower_nodes(CpuPlace *places, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (places[j].processor == places[i].processor && places[j].node != places[i].node)
                places[i].processor_node = places[i].node;
    for (size_t i = 0; i < count; i++)
        if (places[i].processor_node >= 0)
            places[i].node = -1;
}

/* Cores are numbered within their processor; threads are not told apart by the system: they are counted. */
static void number_threads(CpuPlace *places, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            places[i].thread += places[i].processor == places[j].processor && places[i].core == places[j].core;
}

size_t cpu_topology_detect(CpuPlace *places, size_t max) {
    size_t count = 0;
    long configured = sysconf(_SC_NPROCESSORS_CONF);
    for (int cpu = 0; cpu < configured && count < max; cpu++) {
        CpuPlace place = {.processor = number_in(cpu, "physical_package_id"), .core = number_in(cpu, "core_id")};
        if (place.processor < 0 || place.core < 0)
            continue;
        place.node = node_of(cpu);
        place.processor_node = -1;
        place.logical = cpu;
        places[count++] = place;
    }
    lower_nodes(places, count);
    number_threads(places, count);
    cpu_topology_sort(places, count);
    return count;
}

static bool is_number_twice(const CpuPlace *places, size_t count) {
    uint8_t seen[(CPU_NUMBER_MAX + 1) / 8 + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        int32_t at = places[i].logical + 1; /* -1 is a number as well */
        uint8_t *byte = &seen[at / 8], bit = (uint8_t)(1 << at % 8);
        if (*byte & bit)
            return true;
        *byte |= bit;
    }
    return false;
}

static bool is_another_place(const CpuPlace *a, const CpuPlace *b) {
    return a->node != b->node || a->processor != b->processor || a->processor_node != b->processor_node ||
           a->core != b->core || a->thread != b->thread;
}

static bool nodes_agree(const CpuPlace *a, const CpuPlace *b) {
    if ((a->node < 0 && a->processor_node < 0) != (b->node < 0 && b->processor_node < 0))
        return false;
    if (b->node >= 0 && b->processor_node >= 0) /* of the first it may be said: so is stock */
        return false;
    return a->processor != b->processor || (a->node == b->node && (a->processor_node < 0) == (b->processor_node < 0));
}

/* What must not be told of two places shows in neighbours. */
static bool all_neighbours(const CpuPlace *places, size_t count, bool is_good(const CpuPlace *a, const CpuPlace *b)) {
    for (size_t i = 1; i < count; i++)
        if (!is_good(&places[i - 1], &places[i]))
            return false;
    return true;
}

TopologyFault cpu_topology_check(const CpuPlace *places, size_t count) {
    return is_number_twice(places, count)                     ? TOPOLOGY_NUMBER_TWICE
           : !all_neighbours(places, count, is_another_place) ? TOPOLOGY_PLACE_TWICE
           : !all_neighbours(places, count, nodes_agree)      ? TOPOLOGY_NODES_DIFFER
                                                              : TOPOLOGY_GOOD;
}
