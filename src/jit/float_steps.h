/*
 * What the instructions of floats do, as steps: several that stand one behind the other have one piece of machine code
 * (jit/floats.h), whatever instructions they were combined to.
 */
#ifndef VIV_JIT_FLOAT_STEPS_H
#define VIV_JIT_FLOAT_STEPS_H

#include "jit/emit.h"
#include "jit/operands.h"

typedef enum { FLOAT_LOAD, FLOAT_CONVERT, FLOAT_COPY, FLOAT_NEGATE, FLOAT_OPERATE, FLOAT_ROOM, FLOAT_STORE } FloatKind;

typedef struct {
    FloatKind kind;
    uint8_t operation;  /* FLOAT_OPERATE: the second byte of the machine's instruction */
    uint16_t a, b, to;  /* float registers */
    Source source; /* of a load or conversion */
    Word place;         /* where a store goes; the words of FLOAT_ROOM */
} FloatStep;

#define FLOAT_STEPS_MOST 3

/* How many steps an instruction is; 0: it is none of floats. */
unsigned float_steps(const Word *insn, uint16_t form, FloatStep steps[FLOAT_STEPS_MOST]);
uint8_t float_operation(char sign); /* + - * / */

/* Does any code of the module read a float register that was written before a label? Compilers make none such. */
bool floats_cross_labels(const Word *words, const InsnPlace *places, size_t count);
/* Does nobody read the float register, from the first of the places on, what is there now? Labels are not crossed. */
bool float_is_dead(const Word *words, const InsnPlace *places, size_t count, uint16_t number);

#endif
