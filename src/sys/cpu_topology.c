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
