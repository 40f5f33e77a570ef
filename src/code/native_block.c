#include "code/native_block.h"

#include <sys/mman.h>

#include "alloc/alloc.h"
#include "base/fault.h"

enum { PAGE_BYTES = 4096 };

/* The mapping of the words that follow begins with a page. */
static size_t round_up(size_t size) { return (size + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1); }

NativeBlock native_block_create(size_t code_size, size_t word_count) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT;
    size_t before = round_up(code_size), size = before + word_count * sizeof(Word);
    void *address = fault_now(FAULT_MMAP) ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (address == MAP_FAILED)
        return (NativeBlock){0};
    mem_count_mapped(ALLOC_CODE, address, size);
    return (NativeBlock){address, (Word *)((char *)address + before), size};
}

bool native_block_seal(NativeBlock block) {
    return mprotect(block.address, (size_t)((char *)block.words - (char *)block.address), PROT_READ | PROT_EXEC) == 0;
}

void native_block_free(NativeBlock block) {
    if (block.address == NULL)
        return;
    mem_count_unmapped(ALLOC_CODE, block.address, block.size);
    munmap(block.address, block.size);
}
