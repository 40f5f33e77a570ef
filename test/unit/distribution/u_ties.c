/* Links over a connection, with all that may cross: a process of this node (process/link.c), one of another node that
 * keeps to the protocol (ERTS User's Guide, "Link Protocol"), and the channel between them. Each has lists of what is
 * on its way; who goes on next is drawn. Whatever the order, a link that the process holds has a tie, and when all is
 * quiet there is one if it holds it. */
#include "distribution/ties.h"

#include <string.h>

#include "alloc/alloc.h"
#include "process/link.h"
#include "process/process_table.h"
#include "process/reference.h"
#include "unit.h"
#include "unit_process.h"

#define STEPS 14
#define ROUNDS 200000

typedef enum { LINK, UNLINK, ACKNOWLEDGE } What;
typedef struct {
    What what;
    uint64_t id;
} Item;
typedef struct {
    Item items[STEPS * 4];
    unsigned first, count;
} List;

static Process *p;
static Ties ties;
static FragmentArea terms;
static Term away;
static Far *far;
/* From the process to the channel, to the other; from the other to the channel, to the process. */
static List ordered, sent, come, signals;
static struct {
    bool is_there, is_active;
    uint64_t unlinking, last;
} other;
static uint64_t seed;

static void put(List *list, What what, uint64_t id) { list->items[list->count++] = (Item){what, id}; }
static bool is_empty(const List *list) { return list->first == list->count; }
static Item take(List *list) { return list->items[list->first++]; }

static unsigned draw(unsigned below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % below;
}

static bool order(const FarOrder *o) {
    put(&ordered, o->kind == FAR_LINK ? LINK : o->kind == FAR_UNLINK ? UNLINK : ACKNOWLEDGE, o->id);
    if (o->connection != NULL)
        *o->connection = 1;
    return true;
}

/* --- what each does ----------------------------------------------------------------------------------------------- */

static void process_acts(void) {
    if (draw(2) == 0)
        link_make(p, away, false);
    else
        link_remove(p, away);
}

static void process_handles(void) {
    static const SignalKind kinds[] = {SIGNAL_LINK, SIGNAL_UNLINK, SIGNAL_UNLINK_ACK};
    Item i = take(&signals);
    LinkSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->signal, kinds[i.what]);
    far_retain(far);
    s->from = (uint64_t)far;
    s->id = i.id;
    s->connection = 1;
    link_handle(p, s);
}

static void channel_takes_order(void) {
    Item i = take(&ordered);
    switch (i.what) {
    case LINK: tie_link(&ties, p->pid, away); break;
    case UNLINK: tie_unlink(&ties, p->pid, away, i.id); break;
    case ACKNOWLEDGE: tie_acknowledge(&ties, p->pid, away); break;
    }
    put(&sent, i.what, i.id);
}

static void channel_takes_input(void) {
    Item i = take(&come);
    switch (i.what) {
    case LINK: tie_linked(&ties, p->pid, far); break;
    case UNLINK: tie_unlinked(&ties, p->pid, far); break;
    case ACKNOWLEDGE: tie_acknowledged(&ties, p->pid, far, i.id); break;
    }
    put(&signals, i.what, i.id);
}

static void other_acts(void) {
    bool links = draw(2) == 0;
    if (links == other.is_active)
        return;
    other.is_there = true;
    other.is_active = links;
    other.unlinking = links ? 0 : ++other.last;
    put(&come, links ? LINK : UNLINK, other.unlinking);
}

static void other_handles(void) {
    Item i = take(&sent);
    if (i.what == LINK && !other.is_there) {
        other.is_there = other.is_active = true;
    } else if (i.what == UNLINK) {
        other.is_there = other.is_there && !other.is_active;
        other.is_active = false;
        put(&come, ACKNOWLEDGE, i.id);
    } else if (i.what == ACKNOWLEDGE && other.is_there && !other.is_active && other.unlinking == i.id) {
        other.is_there = false;
    }
}

/* --- rounds ------------------------------------------------------------------------------------------------------- */

static const LinkTie *tie_there(void) {
    const LinkTies *of = (const LinkTies *)key_table_find(&ties.links, p->pid);
    return of == NULL ? NULL : (const LinkTie *)key_table_find(&of->by_far, (uint64_t)far);
}

/* It goes on by what is there already: no more comes, as when the connection is lost. */
static void end_on_this_side(void) {
    while (!is_empty(&ordered) || !is_empty(&signals)) {
        if (!is_empty(&signals) && (is_empty(&ordered) || draw(2) == 0))
            process_handles();
        else
            channel_takes_order();
    }
}

static void (*const deliver[])(void) = {process_handles, channel_takes_order, channel_takes_input, other_handles};
static List *const lists[] = {&signals, &ordered, &come, &sent};

static bool deliver_some(void) {
    unsigned start = draw(4);
    for (unsigned i = 0; i < 4; i++) {
        unsigned at = (start + i) % 4;
        if (!is_empty(lists[at])) {
            deliver[at]();
            return true;
        }
    }
    return false;
}

static void some_steps(void) {
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned next = draw(4);
        if (next == 0)
            process_acts();
        else if (next == 1)
            other_acts();
        else
            deliver_some();
    }
}

static void begin_round(unsigned number) {
    seed = number;
    for (unsigned i = 0; i < 4; i++)
        lists[i]->first = lists[i]->count = 0;
    memset(&other, 0, sizeof other);
    assert_int_equal(p->links.count, 0);
    assert_int_equal(ties.links.count, 0);
}

static void drop_all(void) {
    Term pid;
    Far *of;
    for (Tie *tie; (tie = ties_first(&ties)) != NULL; far_release(of))
        tie_link_take(&ties, (LinkTie *)tie, &pid, &of);
    ordered.count = ordered.first;
    while (link_exit_next(p, am_normal))
        ordered.count = ordered.first;
}

static void when_it_is_lost_all_links_have_ties(void **state) {
    for (unsigned round = 0; round < ROUNDS; round++) {
        begin_round(round);
        some_steps();
        end_on_this_side();
        const LinkTie *tie = tie_there();
        if (p->links.count > 0 && tie == NULL)
            fail_msg("round %u: a link without a tie", round);
        if (link_is_there(p, away) && !link_tie_is_linked(tie))
            fail_msg("round %u: a link whose tie is none", round);
        drop_all();
    }
}

static void when_all_is_quiet_ties_are_what_links_are(void **state) {
    for (unsigned round = 0; round < ROUNDS; round++) {
        begin_round(round);
        some_steps();
        while (deliver_some()) {
        }
        if (link_is_there(p, away) != other.is_active)
            fail_msg("round %u: one is linked, one is not", round);
        if ((tie_there() != NULL) != link_is_there(p, away))
            fail_msg("round %u: %s", round, tie_there() == NULL ? "no tie" : "a tie that stays");
        drop_all();
    }
}

/* --- watches ------------------------------------------------------------------------------------------------------ */

#define WATCHES 300000

static WatchTie *watch_by(uint32_t number) {
    static const NativeWatch functions;
    const uint32_t numbers[] = {number, 2, 3};
    FragmentArea fa;
    fragment_area_init(&fa, IDENT_MAX_WORDS);
    Term reference = ident_ref(&fa.area, atom_from_cstring("far@away"), 3, numbers, array_length(numbers));
    WatchTie *tie = tie_watch(&ties, NULL, away, reference, p->pid, NON_VALUE, &functions);
    fragment_area_drop(&fa);
    return tie;
}

static void expect_one_less(WatchTie *tie, const WatchTie *wanted) {
    assert_true(tie != NULL && (wanted == NULL || tie == wanted));
    far_release(tie->from);
    mem_free(ALLOC_LINK, tie);
}

static WatchTie *take_by(uint32_t number) {
    const uint32_t numbers[] = {number, 2, 3};
    FragmentArea fa;
    fragment_area_init(&fa, IDENT_MAX_WORDS);
    WatchTie *tie = tie_watch_take(&ties, ident_ref(&fa.area, atom_from_cstring("far@away"), 3, numbers, 3));
    fragment_area_drop(&fa);
    return tie;
}

/* Of one reference: the first, one between and the last go, and the others are found all the same. */
static void watches_may_have_one_reference(void **state) {
    WatchTie *of[5];
    for (size_t i = 0; i < 5; i++)
        of[i] = watch_by(1);
    WatchTie *another = watch_by(2);
    for (size_t i = 0; i < 5; i += 2)
        expect_one_less(tie_watch_take_key(&ties, of[i]->node.key), of[i]);
    expect_one_less(take_by(1), NULL);
    expect_one_less(take_by(1), NULL);
    assert_null(take_by(1));
    expect_one_less(take_by(2), another);
    assert_null(tie_watch_take_any(&ties));
}

/* A peer that says one reference always is no slower to get rid of. */
static void many_watches_may(void **state) {
    for (size_t i = 0; i < WATCHES; i++)
        watch_by(1);
    for (size_t i = 0; i < WATCHES; i++)
        expect_one_less(tie_watch_take_any(&ties), NULL);
    assert_null(take_by(1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(when_it_is_lost_all_links_have_ties),
        cmocka_unit_test(when_all_is_quiet_ties_are_what_links_are),
        cmocka_unit_test(watches_may_have_one_reference),
        cmocka_unit_test(many_watches_may),
    };
    unit_processes_init();
    reference_init();
    thread_progress_enter();
    far_tell = order;
    fragment_area_init(&terms, 100);
    away = ident_pid(&terms.area, atom_from_cstring("far@away"), 3, 7, 0);
    far = far_put(away);
    p = unit_process(STATE_RUNNING);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
