/*
 * A message environment is sent, or is the sender's still: also when the receiver ends after it was found.
 */
#include "nif/env.h"

#include "code/export.h"
#include "heap/literal.h"
#include "process/reference.h"
#include "process/signal_handle.h"
#include "unit.h"
#include "unit_process.h"

/* First the receiver says that it ends; then it is as if it had ended since it was found. */
static void an_environment_is_sent_or_stays(void **state) {
    Process *p = unit_process(STATE_RUNNING);
    ErlNifPid pid = {p->pid};
    ErlNifEnv *env = enif_alloc_env();
    ERL_NIF_TERM message = enif_make_tuple1(env, enif_make_ref(env));
    atomic_fetch_or(&p->state, STATE_EXITING);
    assert_int_equal(enif_send(NULL, &pid, env, message), 0);
    assert_true(is_ref(tuple_elements(message)[0])); /* may be sent to another */
    atomic_fetch_and(&p->state, ~(uint32_t)STATE_EXITING);
    assert_null(signal_list_close(p));
    bool is_sent = enif_send(NULL, &pid, env, message);
    Fragment *left = nif_own_env_take((NifOwnEnv *)env);
    assert_int_equal(is_sent, left == NULL);
    fragments_free(left);
    enif_free_env(env);
    atomic_store(&p->signals_in, NULL);
    unit_process_end(p);
}

int main(void) {
    thread_progress_be_guest();
    unit_processes_init();
    literal_span_init();
    export_table_init();
    reference_init();
    visitors_init();
    thread_progress_offline();
    const struct CMUnitTest tests[] = {unit(an_environment_is_sent_or_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
