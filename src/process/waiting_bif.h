/*
 * What a built-in function that may wait leaves behind.
 *
 * A request (process/request.h) and a permission (process/permission.h) belong to one call of one BIF. A request lives
 * on only when the BIF returns FAIL_WAIT, for the process then makes the same call again; a permission that was taken
 * is given back by whatever return, unless it was passed on. So no BIF needs to undo anything before it raises, traps,
 * or finds when it is called again that its arguments are good no more; and none takes an answer that another asked
 * for. It cannot be forgotten: the table marks these BIFs `waits`, and the engine enters them through a function that
 * tools/gen_bifs.py makes, which ends here. Others can neither ask nor take (request_may).
 */
#ifndef VIV_PROCESS_WAITING_BIF_H
#define VIV_PROCESS_WAITING_BIF_H

#include "process/process.h"

/* After the call, with what it returned, which is returned. */
Term waiting_bif_left(Process *p, Term result);
/* Has the BIF that p ran left nothing behind but what it waits for? No lock either, which debug builds know. */
bool waiting_bif_is_clean(const Process *p, Term result);

#endif
