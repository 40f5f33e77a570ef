#include "sys/spin.h"

bool spin_gives_way;

void spin_init(void) { spin_gives_way = thread_cpu_count() == 1; }
