#include "code/native_block.h"

#include <sys/mman.h>

#include "alloc/alloc.h"
#include "base/fault.h"

NativeBlock native_block_create(size_t size) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT;
    void *address = fault_now(FAULT_MMAP) ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (address == MAP_FAILED)
        return (NativeBlock){0};
    mem_count_mapped(ALLOC_CODE, address, size);
    return (NativeBlock){address, size};
}

bool native_block_seal(NativeBlock block) { return mprotect(block.address, block.size, PROT_READ | PROT_EXEC) == 0; }

void native_block_free(NativeBlock block) {
    if (block.address == NULL)
        return;
    mem_count_unmapped(ALLOC_CODE, block.address, block.size);
    munmap(block.address, block.size);
}
