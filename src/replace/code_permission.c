#include "replace/code_permission.h"

Permission code_permission;
bool (*code_permission_kept)(void);

static void release_now(ProgressNode *node) {
    if (code_permission_kept == NULL || !code_permission_kept())
        code_permission_release();
}

void code_permission_release_later(void) {
    static ProgressNode progress; /* the holder's */
    code_permission_pass_on();
    progress.run = release_now;
    thread_progress_later(&progress);
}
