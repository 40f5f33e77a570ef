#include "base/leave.h"

#include <stdio.h>
#include <unistd.h>

#include "base/race_window.h"

_Noreturn void runtime_leave(int status) {
    fflush(NULL);
    race_report();
    _exit(status);
}
