/* What drivers call: memory, and binaries. For any thread. Source: erl_driver(3). */
#include "alloc/alloc.h"
#include "port/io_vector.h"

void *driver_alloc(ErlDrvSizeT size) { return mem_try_alloc_foreign(ALLOC_PORT, size); }
void *driver_realloc(void *block, ErlDrvSizeT size) { return mem_try_realloc(ALLOC_PORT, block, size); }
void driver_free(void *block) { mem_free(ALLOC_PORT, block); }

ErlDrvBinary *driver_alloc_binary(ErlDrvSizeT size) {
    RefcBinary *b = refc_binary_try_create(size);
    return b == NULL ? NULL : driver_binary(b);
}

ErlDrvBinary *driver_realloc_binary(ErlDrvBinary *binary, ErlDrvSizeT size) {
    RefcBinary *b = refc_binary_try_resize(driver_refc(binary), size);
    return b == NULL ? NULL : driver_binary(b);
}

void driver_free_binary(ErlDrvBinary *binary) {
    if (binary != NULL)
        refc_binary_release(driver_refc(binary));
}

ErlDrvSInt driver_binary_get_refc(ErlDrvBinary *binary) {
    return atomic_load_explicit(&driver_refc(binary)->refc, memory_order_acquire);
}

/* What holds afterwards. */
ErlDrvSInt driver_binary_inc_refc(ErlDrvBinary *binary) {
    return atomic_fetch_add_explicit(&driver_refc(binary)->refc, 1, memory_order_acq_rel) + 1;
}

/* It frees nothing: who may have the last count calls driver_free_binary. */
ErlDrvSInt driver_binary_dec_refc(ErlDrvBinary *binary) {
    return atomic_fetch_sub_explicit(&driver_refc(binary)->refc, 1, memory_order_acq_rel) - 1;
}
