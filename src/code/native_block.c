#include "code/native_block.h"

#include <sys/mman.h>

NativeBlock native_block_create(size_t size) {
    void *address = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    return address == MAP_FAILED ? (NativeBlock){0} : (NativeBlock){address, size};
}

bool native_block_seal(NativeBlock block) { return mprotect(block.address, block.size, PROT_READ | PROT_EXEC) == 0; }

void native_block_free(NativeBlock block) {
    if (block.address != NULL)
        munmap(block.address, block.size);
}
