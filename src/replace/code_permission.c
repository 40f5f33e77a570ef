#include "replace/code_permission.h"

#include "process/request.h"

Permission code_permission;
CodePermissionHooks code_permission_hooks;

/* The holder's. */
static struct {
    ProgressNode progress;
    CodeAsker asker;
} release;

static void release_now(ProgressNode *node) {
    if (code_permission_hooks.kept == NULL || !code_permission_hooks.kept(release.asker))
        code_permission_release();
}

static void release_later(CodeAsker asker) {
    code_permission_pass_on();
    release.asker = asker;
    release.progress.run = release_now;
    thread_progress_later(&release.progress);
}

void code_permission_release_later(void) { release_later(CODE_ASKED_BY_NOBODY); }

Term code_permission_release_answering(Process *p, Term answer) {
    bool waits = code_permission_hooks.lingers != NULL && code_permission_hooks.lingers();
    if (!waits) {
        code_permission_release_later();
        return answer;
    }
    release_later((CodeAsker){p->pid, request_begin(p), answer});
    return request_wait(p);
}
