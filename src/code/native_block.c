#include "code/native_block.h"

#include <stdatomic.h>

#include "alloc/alloc.h"
#include "alloc/barrier.h"

uint32_t (*native_make)(const Word *entry);

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

void native_block_free(NativeBlock *block) {
    for (NativePiece *piece = block->pieces, *next; piece != NULL; piece = next) {
        next = piece->next;
        code_space_give_back(CODE_SPACE_NATIVE, piece->span);
        mem_free(ALLOC_CODE, piece);
    }
    code_space_give_back(CODE_SPACE_NATIVE, block->code);
    code_space_give_back(CODE_SPACE_WORDS, block->words);
}

/* --- pieces ------------------------------------------------------------------------------------------------------ */

#define ROOM_UNIT 16
#define FIRST_PIECE_BYTES ((size_t)1024)
#define LARGEST_PIECE_BYTES ((size_t)64 << 10)

/* Half as much again as there is. */
static size_t piece_size(const NativeBlock *block, size_t least) {
    size_t size = FIRST_PIECE_BYTES;
    for (const NativePiece *p = block->pieces; p != NULL && size < LARGEST_PIECE_BYTES; p = p->next)
        size += p->span.size / 2;
    size = size < LARGEST_PIECE_BYTES ? size : LARGEST_PIECE_BYTES;
    return size > least ? size : least;
}

static NativePiece *add_piece(NativeBlock *block, size_t least) {
    CodeSpan span = code_space_take(CODE_SPACE_NATIVE, piece_size(block, least));
    if (span.address == NULL)
        return NULL;
    NativePiece *piece = mem_alloc(ALLOC_CODE, sizeof *piece);
    *piece = (NativePiece){block->pieces, span, 0};
    __atomic_store_n(&block->pieces, piece, __ATOMIC_RELEASE);
    return piece;
}

NativeRoom native_block_room(NativeBlock *block, size_t size) {
    NativePiece *piece = block->pieces;
    size = (size + ROOM_UNIT - 1) & ~(size_t)(ROOM_UNIT - 1);
    if (piece == NULL || piece->span.size - piece->used < size)
        piece = add_piece(block, size);
    if (piece == NULL)
        return (NativeRoom){0};
    NativeRoom room = {piece->span.address + piece->used, piece->span.written + piece->used, piece->span.is_new};
    piece->used += size;
    return room;
}

/* --- entries ----------------------------------------------------------------------------------------------------- */

static const CodeSpan *span_of(const NativeBlock *block, uint32_t address) {
    const NativePiece *piece = __atomic_load_n(&block->pieces, __ATOMIC_ACQUIRE);
    if (piece == NULL)
        return &block->code;
    while (address - (uintptr_t)piece->span.address >= piece->span.size)
        piece = piece->next;
    return &piece->span;
}

uint8_t *native_block_written(const NativeBlock *block, uint32_t address) {
    const CodeSpan *span = span_of(block, address);
    return span->written + (address - (uintptr_t)span->address);
}

/* Since the last end. */
static atomic_bool is_written;

void native_entry_lead(const NativeBlock *block, uint32_t entry, bool by_word) {
    uint16_t now = *(const uint16_t *)(uintptr_t)entry, then = by_word ? NATIVE_ENTRY_BY_WORD : NATIVE_ENTRY_STRAIGHT;
    if (now == then)
        return;
    __atomic_store_n((uint16_t *)native_block_written(block, entry), then, __ATOMIC_RELEASE);
    atomic_store_explicit(&is_written, true, memory_order_relaxed);
}

void native_writes_end(void) {
    if (atomic_exchange_explicit(&is_written, false, memory_order_relaxed))
        code_barrier();
}
