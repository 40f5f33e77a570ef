#include "process/waiting_bif.h"

#include "process/permission.h"
#include "process/request.h"
#include "sys/thread.h"

static bool waits(const Process *p, Term result) { return result == NON_VALUE && p->fail.reason == FAIL_WAIT; }

Term waiting_bif_left(Process *p, Term result) {
    permission_give_back();
    if (unlikely(p->request != NULL) && !waits(p, result))
        request_drop(p);
    return result;
}

bool waiting_bif_is_clean(const Process *p, Term result) {
    return (p->request != NULL) == waits(p, result) && !permission_is_held() && !lock_order_holds_any();
}
