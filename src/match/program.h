/*
 * The programs that match specifications are compiled to: one run of words, instructions with their operands.
 *
 * A clause: CLAUSE, head instructions, guards (expression, GUARD) , BODY, body expressions, RETURN. The stack grows
 * downwards. Head instructions take the terms still to be matched from it: each pops one and pushes its parts, the
 * first on top. Expressions are post-order on the same stack, most of them from the last part to the first
 * (expressions.c), so that the parts lie in memory in their order. A failure in the head or the guards goes on at the
 * clause's end.
 */
#ifndef VIV_MATCH_PROGRAM_H
#define VIV_MATCH_PROGRAM_H

#include "heap/kept.h"
#include "match/match_spec.h"

typedef enum {
    M_CLAUSE,     /* where to go on when it fails */
    M_ANY,        /* pop */
    M_BIND,       /* variable: pop into it */
    M_SAME,       /* variable: popped must be =:= */
    M_CONSTANT,   /* term: popped must be =:= */
    M_ZERO,       /* 0.0 or -0.0: popped must be just that */
    M_TUPLE,      /* arity: pop, push the elements */
    M_LIST,       /* pop, push tail and head */
    M_MAP,        /* count, keys...: pop, push the values of the keys, the last first */
    M_GUARD,      /* pop: must be true */
    M_BODY,       /* from here on failures are 'EXIT', and results go where the caller wants them */
    M_RETURN,     /* the top of the stack */
    M_POP,
    M_PUSH,       /* term */
    M_PUSH_COPY,  /* term, copied: it is a constant of the program */
    M_VARIABLE,   /* variable */
    M_VARIABLE_COPY,
    M_OBJECT,     /* '$_' */
    M_OBJECT_COPY,
    M_ALL,        /* how many variables there are: '$$' as a list */
    M_ALL_COPY,
    M_MAKE_TUPLE, /* arity */
    M_MAKE_LIST,  /* count: the tail on top, then the elements, the last first */
    M_MAKE_MAP,   /* count: the keys on top, then the values; and as much room below */
    M_CALL,       /* index in match_functions, count of arguments */
    M_ACTION,     /* name, count of arguments */
    M_COPY,       /* the top may point into the object: copy it */
    M_AND,        /* count of arguments, all boolean */
    M_OR,
    M_ANDALSO,    /* where to go on when the top is false (it stays there) */
    M_ORELSE,
    M_FAIL,       /* no clause matched */
} MatchInstruction;

typedef struct {
    Term head;      /* the pattern as it was written */
    size_t start;   /* in code */
} MatchClause;

#define MATCH_ROOM_CODE 64
typedef struct MatchRoomParts MatchRoomParts;

struct MatchSpec {
    MatchRoomParts *room; /* in which it lies, or NULL */
    Word *code;
    size_t code_count, code_capacity;
    size_t stack_words, variables; /* what a run needs */
    MatchClause *clauses;
    size_t clause_count;
    Term given;  /* as it was given: all terms that the code refers to are parts of it */
    Kept source; /* which holds it; KEPT_NONE: the caller does */
};

/* What a MatchRoom is: its code and its clause are what a specification has until it needs more. */
struct MatchRoomParts {
    MatchSpec spec;
    MatchClause clause;
    Word code[MATCH_ROOM_CODE];
};
_Static_assert(sizeof(MatchRoomParts) <= sizeof(MatchRoom), "it is no larger");

/* Functions that guards and bodies may call. They fail by returning NON_VALUE, and build in `area`. */
typedef struct {
    Term name;
    uint8_t arity;
    bool returns_part; /* of an argument: of the object, maybe */
    Term (*function)(MatchRun *run, Area *area, const Term *a);
} MatchFunction;
extern const MatchFunction match_functions[];
/* How many of them the release in use knows, the first ones. */
size_t match_function_count(void);

/* The trace dialect's: names, arities, and whether they may stand in guards. */
typedef struct {
    Term name;
    uint8_t arity;
    bool in_guards;
    bool is_function;  /* and no special form: it is refused in other words */
    MatchDialect last; /* of the trace dialects, in their order: the last one that knows it */
} MatchActionName;
extern const MatchActionName match_actions[];
extern const size_t match_action_count;

#endif
