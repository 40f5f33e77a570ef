#include "code/native_block.h"

#include "alloc/barrier.h"

NativeBlock native_block_create(size_t code_size, size_t word_count) {
    NativeBlock block = {.words = code_space_take(CODE_SPACE_WORDS, word_count * sizeof(Word))};
    if (block.words.address != NULL && code_size > 0)
        block.code = code_space_take(CODE_SPACE_NATIVE, code_size);
    return block;
}

/* Nobody may still have what other code once stood there. */
void native_block_seal(NativeBlock block) {
    if (!block.code.is_new)
        code_barrier();
}

void native_block_free(NativeBlock block) {
    code_space_give_back(CODE_SPACE_NATIVE, block.code);
    code_space_give_back(CODE_SPACE_WORDS, block.words);
}

/* Of the holder of the permission: since the last end. */
static bool is_written;

void native_entry_lead(NativeBlock block, uint32_t entry, bool by_word) {
    uint16_t now = *(const uint16_t *)(uintptr_t)entry, then = by_word ? NATIVE_ENTRY_BY_WORD : NATIVE_ENTRY_STRAIGHT;
    if (now == then)
        return;
    uint8_t *at = block.code.written + (entry - (uintptr_t)block.code.address);
    __atomic_store_n((uint16_t *)at, then, __ATOMIC_RELEASE);
    is_written = true;
}

void native_writes_end(void) {
    if (!is_written)
        return;
    is_written = false;
    code_barrier();
}
