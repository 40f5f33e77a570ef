#include "code/native_block.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "alloc/alloc.h"
#include "alloc/barrier.h"
#include "alloc/general.h"
#include "base/fault.h"

enum { PAGE_BYTES = 4096 };

/* The mapping of the words that follow begins with a page. */
static size_t round_up(size_t size) { return (size + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1); }

NativeBlock native_block_create(size_t code_size, size_t word_count) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT;
    size_t before = round_up(code_size), size = before + word_count * sizeof(Word);
    void *address = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (address == MAP_FAILED)
        out_of_memory(ALLOC_CODE, size);
    /* Shared: a second mapping can be had of it. */
    if (before > 0 &&
        mmap(address, before, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        out_of_memory(ALLOC_CODE, before);
    mem_count_mapped(ALLOC_CODE, address, size);
    return (NativeBlock){address, (Word *)((char *)address + before), size, NULL};
}

/* Too many mappings are a lack of memory; else it is a rule of the system's (seccomp, SELinux). */
static void say_refused(int error) {
    static atomic_flag is_said = ATOMIC_FLAG_INIT;
    if (error != ENOMEM && !atomic_flag_test_and_set_explicit(&is_said, memory_order_relaxed))
        fprintf(stderr, "viv: the system forbids memory that is executed (mprotect: %s): code is interpreted\n",
                strerror(error));
}

static size_t code_bytes(NativeBlock block) { return (size_t)((char *)block.words - (char *)block.address); }

bool native_block_seal(NativeBlock block) {
    if (fault_now(FAULT_MMAP))
        return false;
    bool is_sealed = mprotect(block.address, code_bytes(block), PROT_READ | PROT_EXEC) == 0;
    if (!is_sealed)
        say_refused(errno);
    return is_sealed;
}

void native_block_free(NativeBlock block) {
    if (block.address == NULL)
        return;
    mem_count_unmapped(ALLOC_CODE, block.address, block.size);
    munmap(block.address, block.size);
}

/* Of the holder of the permission: the block that is being written, and its second mapping. */
static NativeBlock written;
static char *second;

static void open_second(NativeBlock block) {
    if (second != NULL && written.address == block.address)
        return;
    native_writes_end();
    size_t bytes = code_bytes(block);
    void *other = mremap(block.address, 0, bytes, MREMAP_MAYMOVE);
    if (other == MAP_FAILED || mprotect(other, bytes, PROT_READ | PROT_WRITE) != 0)
        out_of_memory(ALLOC_CODE, bytes);
    written = block;
    second = other;
}

void native_entry_lead(NativeBlock block, uint32_t entry, bool by_word) {
    uint16_t now = *(const uint16_t *)(uintptr_t)entry, then = by_word ? NATIVE_ENTRY_BY_WORD : NATIVE_ENTRY_STRAIGHT;
    if (now == then)
        return;
    open_second(block);
    char *at = second + (entry - (uintptr_t)block.address);
    __atomic_store_n((uint16_t *)at, then, __ATOMIC_RELEASE);
}

void native_writes_end(void) {
    if (second == NULL)
        return;
    munmap(second, code_bytes(written));
    second = NULL;
    code_barrier();
}
