/*
 * The order of processors by each bind type. The topologies are made up; the orders are what OTP 25 bound schedulers to
 * when these were defined (system_flag(internal_cpu_topology, _)) on a system of which it was told that it had so many
 * processors. Among them are nodes above processors, within them, of both kinds, and such as no machine has.
 */
#include "sched/bind_order.h"

#include <string.h>

#include "unit.h"

#define PLACES 12

typedef struct {
    size_t count;
    CpuPlace places[PLACES]; /* node, processor, node of the processor, core, thread, number; sorted */
    int32_t orders[BIND_TYPE_COUNT][PLACES];
} Case;

/* clang-format off */
static const Case cases[] = {
    {12,
     {{-1, 0, -1, 0, 0, 4}, {-1, 0, -1, 0, 1, 3}, {-1, 0, -1, 0, 2, 8}, {-1, 0, -1, 2, 1, 5},
         {-1, 0, -1, 2, 2, 0}, {-1, 1, -1, 1, 0, 9}, {-1, 2, -1, 0, 1, 10}, {-1, 2, -1, 0, 2, 2},
         {-1, 2, -1, 1, 2, 7}, {-1, 2, -1, 2, 0, 1}, {-1, 3, -1, 0, 0, 6}, {-1, 3, -1, 1, 1, 11}},
     {[BIND_NO_SPREAD] = {4, 3, 8, 5, 0, 9, 10, 2, 7, 1, 6, 11},
         [BIND_THREAD_SPREAD] = {4, 5, 9, 10, 7, 1, 6, 11, 3, 0, 2, 8},
         [BIND_PROCESSOR_SPREAD] = {4, 9, 10, 6, 5, 7, 11, 1, 3, 2, 0, 8},
         [BIND_SPREAD] = {4, 9, 10, 6, 5, 7, 11, 1, 3, 2, 0, 8},
         [BIND_NO_NODE_THREAD_SPREAD] = {4, 5, 9, 10, 7, 1, 6, 11, 3, 0, 2, 8},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {4, 9, 10, 6, 5, 7, 11, 1, 3, 2, 0, 8},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {4, 9, 10, 6, 5, 7, 11, 1, 3, 2, 0, 8}}},
    {9,
     {{-1, 0, -1, 0, 0, 6}, {-1, 0, -1, 0, 2, 7}, {-1, 1, -1, 1, 2, 2}, {-1, 2, -1, 0, 0, 1},
         {-1, 2, -1, 0, 1, 5}, {-1, 2, -1, 0, 2, 3}, {-1, 2, -1, 1, 1, 0}, {-1, 2, -1, 1, 2, 8},
         {-1, 3, -1, 0, 2, 4}},
     {[BIND_NO_SPREAD] = {6, 7, 2, 1, 5, 3, 0, 8, 4},
         [BIND_THREAD_SPREAD] = {6, 2, 1, 0, 4, 7, 5, 8, 3},
         [BIND_PROCESSOR_SPREAD] = {6, 2, 1, 4, 0, 7, 5, 8, 3},
         [BIND_SPREAD] = {6, 2, 1, 4, 0, 7, 5, 8, 3},
         [BIND_NO_NODE_THREAD_SPREAD] = {6, 2, 1, 0, 4, 7, 5, 8, 3},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {6, 2, 1, 4, 0, 7, 5, 8, 3},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {6, 2, 1, 4, 0, 7, 5, 8, 3}}},
    {11,
     {{1, 0, -1, 0, 1, 2}, {1, 0, -1, 1, 0, 1}, {1, 0, -1, 1, 2, 0}, {1, 0, -1, 2, 1, 5},
         {1, 3, -1, 0, 1, 7}, {2, 1, -1, 0, 1, 6}, {2, 1, -1, 1, 0, 8}, {2, 1, -1, 2, 1, 4},
         {2, 2, -1, 1, 0, 10}, {2, 2, -1, 1, 1, 9}, {2, 2, -1, 2, 1, 3}},
     {[BIND_NO_SPREAD] = {2, 1, 0, 5, 6, 8, 4, 10, 9, 3, 7},
         [BIND_THREAD_SPREAD] = {2, 1, 5, 6, 8, 4, 10, 3, 7, 0, 9},
         [BIND_PROCESSOR_SPREAD] = {2, 6, 10, 7, 1, 8, 3, 5, 4, 9, 0},
         [BIND_SPREAD] = {2, 6, 7, 10, 1, 8, 3, 5, 4, 9, 0},
         [BIND_NO_NODE_THREAD_SPREAD] = {2, 1, 5, 0, 6, 8, 4, 10, 3, 9, 7},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {2, 1, 5, 0, 6, 10, 8, 3, 4, 9, 7},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {2, 1, 5, 6, 10, 8, 3, 4, 7, 0, 9}}},
    {6,
     {{0, 0, -1, 0, 0, 2}, {0, 0, -1, 3, 0, 0}, {0, 0, -1, 3, 1, 1}, {0, 1, -1, 0, 0, 5},
         {1, 4, -1, 0, 0, 3}, {1, 4, -1, 0, 1, 4}},
     {[BIND_NO_SPREAD] = {2, 0, 1, 5, 3, 4},
         [BIND_THREAD_SPREAD] = {2, 0, 5, 3, 1, 4},
         [BIND_PROCESSOR_SPREAD] = {2, 5, 3, 0, 4, 1},
         [BIND_SPREAD] = {2, 3, 5, 0, 4, 1},
         [BIND_NO_NODE_THREAD_SPREAD] = {2, 0, 5, 1, 3, 4},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {2, 5, 0, 1, 3, 4},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {2, 5, 0, 3, 1, 4}}},
    {12,
     {{7, 0, -1, 0, 0, 9}, {7, 0, -1, 0, 1, 7}, {7, 0, -1, 1, 0, 2}, {7, 0, -1, 1, 1, 4},
         {7, 4, -1, 0, 0, 3}, {7, 4, -1, 0, 3, 5}, {7, 4, -1, 1, 0, 0}, {7, 4, -1, 1, 1, 1},
         {17, 5, -1, 0, 0, 8}, {17, 5, -1, 0, 1, 6}, {17, 5, -1, 2, 0, 10}, {17, 5, -1, 2, 1, 11}},
     {[BIND_NO_SPREAD] = {9, 7, 2, 4, 3, 5, 0, 1, 8, 6, 10, 11},
         [BIND_THREAD_SPREAD] = {9, 2, 3, 0, 8, 10, 7, 4, 5, 1, 6, 11},
         [BIND_PROCESSOR_SPREAD] = {9, 3, 8, 2, 0, 10, 7, 5, 6, 4, 1, 11},
         [BIND_SPREAD] = {9, 8, 3, 2, 10, 0, 7, 6, 5, 4, 11, 1},
         [BIND_NO_NODE_THREAD_SPREAD] = {9, 2, 3, 0, 7, 4, 5, 1, 8, 10, 6, 11},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {9, 3, 2, 0, 7, 5, 4, 1, 8, 10, 6, 11},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {9, 3, 2, 0, 8, 10, 7, 5, 4, 1, 6, 11}}},
    {11,
     {{-1, 0, 0, 1, 1, 6}, {-1, 0, 2, 0, 1, 2}, {-1, 0, 2, 1, 0, 4}, {-1, 0, 2, 1, 1, 8},
         {-1, 0, 2, 2, 2, 7}, {-1, 1, 2, 1, 1, 9}, {-1, 1, 2, 2, 0, 10}, {-1, 2, 0, 1, 2, 1},
         {-1, 2, 2, 1, 0, 0}, {-1, 3, 1, 0, 2, 5}, {-1, 3, 1, 1, 0, 3}},
     {[BIND_NO_SPREAD] = {6, 2, 4, 8, 7, 9, 10, 1, 0, 5, 3},
         [BIND_THREAD_SPREAD] = {6, 2, 4, 7, 9, 10, 1, 0, 5, 3, 8},
         [BIND_PROCESSOR_SPREAD] = {6, 9, 1, 5, 10, 3, 2, 0, 4, 7, 8},
         [BIND_SPREAD] = {6, 9, 1, 5, 2, 0, 10, 3, 4, 7, 8},
         [BIND_NO_NODE_THREAD_SPREAD] = {6, 2, 4, 7, 9, 10, 8, 1, 0, 5, 3},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {6, 2, 9, 4, 10, 7, 8, 1, 0, 5, 3},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {6, 2, 9, 4, 10, 7, 1, 0, 5, 3, 8}}},
    {11,
     {{-1, 0, 1, 2, 0, 6}, {-1, 0, 2, 1, 1, 1}, {-1, 0, 2, 1, 2, 2}, {-1, 1, 2, 0, 0, 5},
         {-1, 1, 2, 0, 1, 7}, {-1, 1, 2, 1, 2, 3}, {-1, 1, 2, 2, 2, 8}, {-1, 2, 2, 1, 0, 4},
         {-1, 2, 2, 2, 1, 0}, {-1, 3, 0, 0, 2, 9}, {-1, 3, 1, 1, 2, 10}},
     {[BIND_NO_SPREAD] = {6, 1, 2, 5, 7, 3, 8, 4, 0, 9, 10},
         [BIND_THREAD_SPREAD] = {6, 1, 5, 3, 8, 4, 0, 9, 10, 2, 7},
         [BIND_PROCESSOR_SPREAD] = {6, 5, 4, 9, 3, 0, 8, 1, 10, 7, 2},
         [BIND_SPREAD] = {6, 5, 4, 9, 1, 10, 3, 0, 8, 7, 2},
         [BIND_NO_NODE_THREAD_SPREAD] = {6, 1, 5, 3, 8, 4, 0, 2, 7, 9, 10},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {6, 1, 5, 4, 3, 0, 8, 2, 7, 9, 10},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {6, 1, 5, 4, 3, 0, 8, 9, 10, 2, 7}}},
    {10,
     {{-1, 0, 1, 1, 2, 5}, {-1, 1, 0, 0, 1, 6}, {-1, 1, 0, 2, 2, 0}, {-1, 2, 0, 1, 1, 2},
         {-1, 2, 0, 2, 2, 1}, {-1, 2, 2, 1, 0, 7}, {-1, 2, 2, 1, 2, 8}, {-1, 3, 0, 2, 0, 4},
         {-1, 3, 1, 2, 0, 3}, {-1, 3, 2, 1, 0, 9}},
     {[BIND_NO_SPREAD] = {5, 6, 0, 2, 1, 7, 8, 4, 3, 9},
         [BIND_THREAD_SPREAD] = {5, 6, 0, 2, 1, 7, 4, 3, 9, 8},
         [BIND_PROCESSOR_SPREAD] = {5, 6, 2, 4, 0, 1, 7, 3, 9, 8},
         [BIND_SPREAD] = {5, 6, 2, 4, 7, 3, 9, 0, 1, 8},
         [BIND_NO_NODE_THREAD_SPREAD] = {5, 6, 0, 2, 1, 7, 8, 4, 3, 9},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {5, 6, 2, 0, 1, 7, 8, 4, 3, 9},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {5, 6, 2, 0, 1, 7, 4, 3, 9, 8}}},
    {10,
     {{-1, 1, 0, 1, 1, 9}, {-1, 1, 2, 1, 0, 1}, {-1, 1, 2, 2, 0, 2}, {2, 0, -1, 0, 0, 6},
         {2, 0, -1, 0, 1, 3}, {2, 0, -1, 1, 1, 4}, {2, 0, -1, 1, 2, 5}, {2, 0, -1, 2, 0, 8},
         {2, 2, -1, 0, 1, 0}, {2, 2, -1, 1, 1, 7}},
     {[BIND_NO_SPREAD] = {6, 3, 4, 5, 8, 9, 1, 2, 0, 7},
         [BIND_THREAD_SPREAD] = {6, 4, 8, 9, 1, 2, 0, 7, 3, 5},
         [BIND_PROCESSOR_SPREAD] = {6, 9, 0, 4, 7, 8, 1, 2, 3, 5},
         [BIND_SPREAD] = {6, 9, 0, 1, 4, 7, 2, 8, 3, 5},
         [BIND_NO_NODE_THREAD_SPREAD] = {6, 4, 8, 3, 5, 9, 1, 2, 0, 7},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {6, 4, 8, 3, 5, 9, 1, 0, 2, 7},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {6, 4, 8, 9, 1, 0, 2, 7, 3, 5}}},
    {11,
     {{-1, 6, 3, 2, 0, 7}, {-1, 6, 3, 2, 1, 2}, {-1, 6, 3, 3, 0, 9}, {-1, 6, 3, 4, 0, 1},
         {-1, 6, 4, 0, 0, 3}, {11, 3, -1, 0, 0, 6}, {11, 3, -1, 0, 1, 5}, {11, 3, -1, 2, 0, 4},
         {11, 3, -1, 4, 0, 8}, {11, 4, -1, 0, 0, 10}, {11, 4, -1, 2, 0, 0}},
     {[BIND_NO_SPREAD] = {6, 5, 4, 8, 10, 0, 7, 2, 9, 1, 3},
         [BIND_THREAD_SPREAD] = {6, 4, 8, 10, 0, 7, 9, 1, 3, 5, 2},
         [BIND_PROCESSOR_SPREAD] = {6, 10, 7, 4, 0, 9, 8, 1, 3, 5, 2},
         [BIND_SPREAD] = {6, 7, 10, 3, 4, 9, 0, 8, 1, 5, 2},
         [BIND_NO_NODE_THREAD_SPREAD] = {6, 4, 8, 10, 0, 5, 7, 9, 1, 2, 3},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {6, 10, 4, 0, 8, 5, 7, 9, 1, 2, 3},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {6, 10, 4, 0, 8, 7, 9, 1, 3, 5, 2}}},
    {12,
     {{-1, 0, 0, 0, 0, 11}, {-1, 0, 0, 0, 1, 9}, {-1, 0, 0, 1, 2, 6}, {-1, 0, 1, 2, 1, 4},
         {-1, 0, 2, 0, 1, 1}, {-1, 0, 2, 1, 1, 7}, {0, 1, -1, 0, 0, 10}, {0, 1, -1, 1, 2, 0},
         {1, 2, -1, 0, 1, 5}, {1, 2, -1, 1, 2, 8}, {1, 2, -1, 2, 1, 2}, {1, 3, -1, 0, 2, 3}},
     {[BIND_NO_SPREAD] = {11, 9, 6, 4, 1, 7, 10, 0, 5, 8, 2, 3},
         [BIND_THREAD_SPREAD] = {11, 6, 4, 1, 7, 10, 0, 5, 8, 2, 3, 9},
         [BIND_PROCESSOR_SPREAD] = {11, 10, 5, 3, 6, 0, 8, 2, 4, 1, 7, 9},
         [BIND_SPREAD] = {11, 10, 5, 3, 4, 1, 6, 0, 8, 7, 2, 9},
         [BIND_NO_NODE_THREAD_SPREAD] = {11, 6, 9, 4, 1, 7, 10, 0, 5, 8, 2, 3},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {11, 6, 9, 4, 1, 7, 10, 0, 5, 3, 8, 2},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {11, 6, 4, 1, 7, 10, 0, 5, 3, 8, 2, 9}}},
    {12,
     {{-1, 0, 1, 0, 0, 8}, {-1, 0, 1, 1, 2, 0}, {-1, 0, 2, 2, 1, 4}, {0, 1, -1, 0, 1, 7},
         {0, 1, -1, 1, 0, 11}, {0, 1, -1, 1, 2, 10}, {0, 1, -1, 2, 2, 9}, {0, 2, -1, 1, 2, 6},
         {2, 3, -1, 0, 0, 1}, {2, 3, -1, 1, 1, 5}, {2, 3, -1, 1, 2, 2}, {2, 3, -1, 2, 2, 3}},
     {[BIND_NO_SPREAD] = {8, 0, 4, 7, 11, 10, 9, 6, 1, 5, 2, 3},
         [BIND_THREAD_SPREAD] = {8, 0, 4, 7, 11, 9, 6, 1, 5, 3, 10, 2},
         [BIND_PROCESSOR_SPREAD] = {8, 7, 6, 1, 0, 11, 5, 9, 3, 4, 10, 2},
         [BIND_SPREAD] = {8, 7, 1, 6, 4, 0, 11, 5, 9, 3, 10, 2},
         [BIND_NO_NODE_THREAD_SPREAD] = {8, 0, 4, 7, 11, 9, 6, 10, 1, 5, 3, 2},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {8, 0, 4, 7, 6, 11, 9, 10, 1, 5, 3, 2},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {8, 0, 4, 7, 6, 11, 9, 1, 5, 3, 10, 2}}},
    {12,
     {{0, 0, -1, 0, 0, 10}, {0, 0, -1, 0, 1, 4}, {0, 0, -1, 1, 0, 6}, {0, 0, -1, 1, 1, 1},
         {-1, 1, 1, 0, 0, 8}, {-1, 1, 1, 0, 1, 2}, {-1, 1, 1, 1, 0, 7}, {-1, 1, 1, 1, 1, 3},
         {0, 3, -1, 0, 0, 9}, {0, 3, -1, 0, 1, 11}, {0, 3, -1, 1, 0, 5}, {0, 3, -1, 1, 1, 0}},
     {[BIND_NO_SPREAD] = {10, 4, 6, 1, 8, 2, 7, 3, 9, 11, 5, 0},
         [BIND_THREAD_SPREAD] = {10, 6, 8, 7, 9, 5, 4, 1, 2, 3, 11, 0},
         [BIND_PROCESSOR_SPREAD] = {10, 8, 9, 6, 7, 5, 4, 2, 11, 1, 3, 0},
         [BIND_SPREAD] = {10, 8, 9, 6, 7, 5, 4, 2, 11, 1, 3, 0},
         [BIND_NO_NODE_THREAD_SPREAD] = {10, 6, 4, 1, 8, 7, 9, 5, 2, 3, 11, 0},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {10, 6, 4, 1, 8, 9, 7, 5, 2, 11, 3, 0},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {10, 6, 8, 9, 7, 5, 4, 1, 2, 11, 3, 0}}},
    {11,
     {{-1, 0, 0, 0, 0, 8}, {-1, 0, 0, 0, 2, 2}, {-1, 0, 2, 0, 2, 1}, {-1, 1, 0, 0, 0, 6},
         {-1, 1, 0, 1, 0, 0}, {2, 2, -1, 0, 2, 5}, {2, 2, -1, 1, 1, 7}, {2, 2, -1, 2, 2, 10},
         {2, 3, -1, 1, 1, 4}, {2, 3, -1, 2, 0, 3}, {2, 3, -1, 2, 1, 9}},
     {[BIND_NO_SPREAD] = {8, 2, 1, 6, 0, 5, 7, 10, 4, 3, 9},
         [BIND_THREAD_SPREAD] = {8, 1, 6, 0, 5, 7, 10, 4, 3, 2, 9},
         [BIND_PROCESSOR_SPREAD] = {8, 6, 5, 4, 0, 7, 3, 10, 1, 2, 9},
         [BIND_SPREAD] = {8, 5, 6, 4, 1, 7, 0, 3, 10, 2, 9},
         [BIND_NO_NODE_THREAD_SPREAD] = {8, 2, 1, 6, 0, 5, 7, 10, 4, 3, 9},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {8, 2, 1, 6, 0, 5, 4, 7, 3, 10, 9},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {8, 1, 6, 0, 5, 4, 7, 3, 10, 2, 9}}},
    {9,
     {{-1, 0, 2, 0, 2, 7}, {-1, 0, 2, 2, 0, 4}, {-1, 3, 1, 0, 1, 2}, {-1, 3, 2, 1, 0, 8},
         {0, 1, -1, 0, 0, 3}, {0, 1, -1, 1, 2, 0}, {0, 2, -1, 0, 2, 6}, {0, 2, -1, 1, 0, 1},
         {0, 2, -1, 1, 1, 5}},
     {[BIND_NO_SPREAD] = {7, 4, 3, 0, 6, 1, 5, 2, 8},
         [BIND_THREAD_SPREAD] = {7, 4, 3, 0, 6, 1, 2, 8, 5},
         [BIND_PROCESSOR_SPREAD] = {7, 3, 6, 2, 4, 0, 1, 8, 5},
         [BIND_SPREAD] = {7, 3, 2, 6, 8, 4, 0, 1, 5},
         [BIND_NO_NODE_THREAD_SPREAD] = {7, 4, 3, 0, 6, 1, 5, 2, 8},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {7, 4, 3, 6, 0, 1, 5, 2, 8},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {7, 4, 3, 6, 0, 1, 2, 8, 5}}},
    {8,
     {{-1, -1, 0, 0, 0, 6}, {-1, -1, 0, 0, 2, 3}, {-1, -1, 0, 1, 1, 0}, {-1, -1, 0, 1, 2, 1},
         {-1, -1, 0, 2, 1, 4}, {-1, -1, 1, 0, 0, 7}, {-1, -1, 2, 1, 0, 5}, {-1, -1, 2, 2, 2, 2}},
     {[BIND_NO_SPREAD] = {6, 3, 0, 1, 4, 7, 5, 2},
         [BIND_THREAD_SPREAD] = {6, 0, 4, 7, 5, 2, 3, 1},
         [BIND_PROCESSOR_SPREAD] = {6, 0, 4, 7, 5, 2, 3, 1},
         [BIND_SPREAD] = {6, 7, 5, 0, 2, 4, 3, 1},
         [BIND_NO_NODE_THREAD_SPREAD] = {6, 0, 4, 3, 1, 7, 5, 2},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {6, 0, 4, 3, 1, 7, 5, 2},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {6, 0, 4, 7, 5, 2, 3, 1}}},
    {8,
     {{-1, -1, 0, 0, 1, 0}, {-1, -1, 0, 0, 2, 7}, {-1, -1, 0, 2, 0, 2}, {-1, -1, 0, 2, 1, 1},
         {-1, -1, 1, 0, 2, 4}, {-1, -1, 1, 1, 1, 5}, {-1, -1, 1, 2, 2, 6}, {-1, -1, 2, 0, 0, 3}},
     {[BIND_NO_SPREAD] = {0, 7, 2, 1, 4, 5, 6, 3},
         [BIND_THREAD_SPREAD] = {0, 2, 4, 5, 6, 3, 7, 1},
         [BIND_PROCESSOR_SPREAD] = {0, 2, 4, 5, 6, 3, 7, 1},
         [BIND_SPREAD] = {0, 4, 3, 2, 5, 6, 7, 1},
         [BIND_NO_NODE_THREAD_SPREAD] = {0, 2, 7, 1, 4, 5, 6, 3},
         [BIND_NO_NODE_PROCESSOR_SPREAD] = {0, 2, 7, 1, 4, 5, 6, 3},
         [BIND_THREAD_NO_NODE_PROCESSOR_SPREAD] = {0, 2, 4, 5, 6, 3, 7, 1}}},
};
/* clang-format on */

static void orders_are_those_of_stock(void **state) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const Case *c = &cases[i];
        for (BindType type = BIND_NO_SPREAD; type < BIND_TYPE_COUNT; type++) {
            CpuPlace places[PLACES];
            memcpy(places, c->places, sizeof places);
            cpu_topology_sort(places, c->count);
            bind_order_sort(places, c->count, type);
            for (size_t at = 0; at < c->count; at++)
                assert_int_equal(places[at].logical, c->orders[type][at]);
        }
    }
}

static void no_processor_is_an_order(void **state) {
    CpuPlace none[1] = {{0}};
    for (BindType type = BIND_NO_SPREAD; type < BIND_TYPE_COUNT; type++)
        bind_order_sort(none, 0, type);
}

UNIT_TESTS(unit(orders_are_those_of_stock), unit(no_processor_is_an_order))
