/*
 * Every function of the native interface, in groups, once: erl_nif.h declares them from this list, and the build
 * exports exactly these names from the program. A number tells the interface version where it is later than 2.15.
 */
#ifndef ERL_NIF_API_FUNC_DECL
#error "include erl_nif.h instead"
#endif
#define F_ ERL_NIF_API_FUNC_DECL
#define E_ ErlNifEnv *
#define T_ ERL_NIF_TERM

/* Memory, environments, the library */
F_(void *, enif_alloc, (size_t size) ERL_NAPI_ATTR_WUR);
F_(void *, enif_realloc, (void *block, size_t size) ERL_NAPI_ATTR_WUR);
F_(void, enif_free, (void *block));
F_(E_, enif_alloc_env, (void) ERL_NAPI_ATTR_WUR);
F_(void, enif_clear_env, (E_ env));
F_(void, enif_free_env, (E_ env));
F_(T_, enif_make_copy, (E_ to, T_ term));
F_(void *, enif_priv_data, (E_ env));
F_(int, enif_set_option, (E_ env, ErlNifOption option, ...)); /* 2.17 */
F_(void *, enif_dlopen, (const char *library, void (*on_error)(void *, const char *), void *argument));
F_(void *, enif_dlsym, (void *handle, const char *name, void (*on_error)(void *, const char *), void *argument));
F_(int, enif_getenv, (const char *name, char *value, size_t *size));
F_(void, enif_system_info, (ErlNifSysInfo *info, size_t size));

/* What kind of term */
F_(ErlNifTermType, enif_term_type, (E_ env, T_ term));
F_(int, enif_is_atom, (E_ env, T_ term));
F_(int, enif_is_binary, (E_ env, T_ term));
F_(int, enif_is_empty_list, (E_ env, T_ term));
F_(int, enif_is_exception, (E_ env, T_ term));
F_(int, enif_is_fun, (E_ env, T_ term));
F_(int, enif_is_list, (E_ env, T_ term));
F_(int, enif_is_map, (E_ env, T_ term));
F_(int, enif_is_number, (E_ env, T_ term));
F_(int, enif_is_pid, (E_ env, T_ term));
F_(int, enif_is_port, (E_ env, T_ term));
F_(int, enif_is_ref, (E_ env, T_ term));
F_(int, enif_is_tuple, (E_ env, T_ term));
F_(int, enif_is_identical, (T_ a, T_ b));
F_(int, enif_compare, (T_ a, T_ b));
F_(ErlNifUInt64, enif_hash, (ErlNifHash type, T_ term, ErlNifUInt64 salt));

/* Exceptions */
F_(T_, enif_make_badarg, (E_ env));
F_(T_, enif_raise_exception, (E_ env, T_ reason));
F_(int, enif_has_pending_exception, (E_ env, T_ *reason));

/* Atoms and strings */
F_(T_, enif_make_atom, (E_ env, const char *name));
F_(T_, enif_make_atom_len, (E_ env, const char *name, size_t length));
F_(int, enif_make_existing_atom, (E_ env, const char *name, T_ *atom, ErlNifCharEncoding encoding));
F_(int, enif_make_existing_atom_len,
   (E_ env, const char *name, size_t length, T_ *atom, ErlNifCharEncoding encoding));
F_(int, enif_make_new_atom, (E_ env, const char *name, T_ *atom, ErlNifCharEncoding encoding)); /* 2.17 */
F_(int, enif_make_new_atom_len, /* 2.17 */
   (E_ env, const char *name, size_t length, T_ *atom, ErlNifCharEncoding encoding));
F_(int, enif_get_atom, (E_ env, T_ atom, char *buffer, unsigned size, ErlNifCharEncoding encoding));
F_(int, enif_get_atom_length, (E_ env, T_ atom, unsigned *length, ErlNifCharEncoding encoding));
F_(T_, enif_make_string, (E_ env, const char *string, ErlNifCharEncoding encoding));
F_(T_, enif_make_string_len, (E_ env, const char *string, size_t length, ErlNifCharEncoding encoding));
F_(int, enif_get_string, (E_ env, T_ list, char *buffer, unsigned size, ErlNifCharEncoding encoding));
F_(int, enif_get_string_length, (E_ env, T_ list, unsigned *length, ErlNifCharEncoding encoding)); /* 2.17 */

/* Numbers */
F_(T_, enif_make_int, (E_ env, int value));
F_(T_, enif_make_uint, (E_ env, unsigned value));
F_(T_, enif_make_long, (E_ env, long value));
F_(T_, enif_make_ulong, (E_ env, unsigned long value));
F_(T_, enif_make_double, (E_ env, double value));
F_(int, enif_get_int, (E_ env, T_ term, int *value));
F_(int, enif_get_uint, (E_ env, T_ term, unsigned *value));
F_(int, enif_get_long, (E_ env, T_ term, long *value));
F_(int, enif_get_ulong, (E_ env, T_ term, unsigned long *value));
F_(int, enif_get_double, (E_ env, T_ term, double *value));
F_(T_, enif_make_unique_integer, (E_ env, ErlNifUniqueInteger properties));

/* Lists and tuples */
F_(T_, enif_make_list, (E_ env, unsigned count, ...));
F_(T_, enif_make_list_cell, (E_ env, T_ head, T_ tail));
F_(T_, enif_make_list_from_array, (E_ env, const T_ elements[], unsigned count));
F_(int, enif_make_reverse_list, (E_ env, T_ list, T_ *reversed));
F_(int, enif_get_list_cell, (E_ env, T_ list, T_ *head, T_ *tail));
F_(int, enif_get_list_length, (E_ env, T_ list, unsigned *length));
F_(T_, enif_make_tuple, (E_ env, unsigned count, ...));
F_(T_, enif_make_tuple_from_array, (E_ env, const T_ elements[], unsigned count));
F_(int, enif_get_tuple, (E_ env, T_ tuple, int *arity, const T_ **elements));

/* Maps */
F_(T_, enif_make_new_map, (E_ env));
F_(int, enif_make_map_put, (E_ env, T_ map, T_ key, T_ value, T_ *result));
F_(int, enif_make_map_update, (E_ env, T_ map, T_ key, T_ value, T_ *result));
F_(int, enif_make_map_remove, (E_ env, T_ map, T_ key, T_ *result));
F_(int, enif_make_map_from_arrays, (E_ env, T_ keys[], T_ values[], size_t count, T_ *result));
F_(int, enif_get_map_size, (E_ env, T_ map, size_t *size));
F_(int, enif_get_map_value, (E_ env, T_ map, T_ key, T_ *value));
F_(int, enif_map_iterator_create, (E_ env, T_ map, ErlNifMapIterator *it, ErlNifMapIteratorEntry entry));
F_(void, enif_map_iterator_destroy, (E_ env, ErlNifMapIterator *it));
F_(int, enif_map_iterator_is_head, (E_ env, ErlNifMapIterator *it));
F_(int, enif_map_iterator_is_tail, (E_ env, ErlNifMapIterator *it));
F_(int, enif_map_iterator_next, (E_ env, ErlNifMapIterator *it));
F_(int, enif_map_iterator_prev, (E_ env, ErlNifMapIterator *it));
F_(int, enif_map_iterator_get_pair, (E_ env, ErlNifMapIterator *it, T_ *key, T_ *value));

/* Binaries */
F_(int, enif_alloc_binary, (size_t size, ErlNifBinary *binary));
F_(int, enif_realloc_binary, (ErlNifBinary *binary, size_t size));
F_(void, enif_release_binary, (ErlNifBinary *binary));
F_(int, enif_inspect_binary, (E_ env, T_ term, ErlNifBinary *binary));
F_(int, enif_inspect_iolist_as_binary, (E_ env, T_ term, ErlNifBinary *binary));
F_(T_, enif_make_binary, (E_ env, ErlNifBinary *binary));
F_(unsigned char *, enif_make_new_binary, (E_ env, size_t size, T_ *term));
F_(T_, enif_make_sub_binary, (E_ env, T_ binary, size_t position, size_t size));
F_(int, enif_term_to_binary, (E_ env, T_ term, ErlNifBinary *binary));
F_(size_t, enif_binary_to_term, (E_ env, const unsigned char *data, size_t size, T_ *term, unsigned options));

/* I/O vectors and queues */
F_(int, enif_inspect_iovec, (E_ env, size_t max_elements, T_ list, T_ *tail, ErlNifIOVec **vector));
F_(void, enif_free_iovec, (ErlNifIOVec *vector));
F_(ErlNifIOQueue *, enif_ioq_create, (ErlNifIOQueueOpts options) ERL_NAPI_ATTR_WUR);
F_(void, enif_ioq_destroy, (ErlNifIOQueue *queue));
F_(int, enif_ioq_enq_binary, (ErlNifIOQueue *queue, ErlNifBinary *binary, size_t skip));
F_(int, enif_ioq_enqv, (ErlNifIOQueue *queue, ErlNifIOVec *vector, size_t skip));
F_(size_t, enif_ioq_size, (ErlNifIOQueue *queue));
F_(int, enif_ioq_deq, (ErlNifIOQueue *queue, size_t count, size_t *size));
F_(SysIOVec *, enif_ioq_peek, (ErlNifIOQueue *queue, int *count));
F_(int, enif_ioq_peek_head, (E_ env, ErlNifIOQueue *queue, size_t *size, T_ *head));

/* Identifiers, processes, messages */
F_(T_, enif_make_ref, (E_ env));
F_(ErlNifPid *, enif_self, (E_ env, ErlNifPid *pid));
F_(int, enif_get_local_pid, (E_ env, T_ term, ErlNifPid *pid));
F_(int, enif_get_local_port, (E_ env, T_ term, ErlNifPort *port));
F_(void, enif_set_pid_undefined, (ErlNifPid *pid));
F_(int, enif_is_pid_undefined, (const ErlNifPid *pid));
F_(int, enif_whereis_pid, (E_ env, T_ name, ErlNifPid *pid));
F_(int, enif_whereis_port, (E_ env, T_ name, ErlNifPort *port));
F_(int, enif_is_current_process_alive, (E_ env));
F_(int, enif_is_process_alive, (E_ env, ErlNifPid *pid));
F_(int, enif_is_port_alive, (E_ env, ErlNifPort *port));
F_(int, enif_send, (E_ env, const ErlNifPid *to, E_ message_env, T_ message));
F_(int, enif_port_command, (E_ env, const ErlNifPort *to, E_ message_env, T_ message));

/* The call */
F_(int, enif_consume_timeslice, (E_ env, int percent));
F_(T_, enif_schedule_nif, (E_ env, const char *name, int flags,
   T_ (*function)(E_ env, int argc, const T_ argv[]), int argc, const T_ argv[]));
F_(int, enif_thread_type, (void));

/* Resources and monitors */
F_(ErlNifResourceType *, enif_open_resource_type, (E_ env, const char *module, const char *name,
   void (*destructor)(E_ env, void *object), ErlNifResourceFlags flags, ErlNifResourceFlags *tried));
F_(ErlNifResourceType *, enif_open_resource_type_x, (E_ env, const char *name, const ErlNifResourceTypeInit *init,
   ErlNifResourceFlags flags, ErlNifResourceFlags *tried));
F_(ErlNifResourceType *, enif_init_resource_type, (E_ env, const char *name, const ErlNifResourceTypeInit *init,
   ErlNifResourceFlags flags, ErlNifResourceFlags *tried)); /* 2.16 */
F_(void *, enif_alloc_resource, (ErlNifResourceType *type, size_t size) ERL_NAPI_ATTR_WUR);
F_(void, enif_keep_resource, (void *object));
F_(void, enif_release_resource, (void *object));
F_(size_t, enif_sizeof_resource, (void *object));
F_(T_, enif_make_resource, (E_ env, void *object));
F_(T_, enif_make_resource_binary, (E_ env, void *object, const void *data, size_t size));
F_(int, enif_get_resource, (E_ env, T_ term, ErlNifResourceType *type, void **object));
F_(int, enif_dynamic_resource_call, (E_ env, T_ module, T_ name, T_ resource, void *call_data)); /* 2.16 */
F_(int, enif_monitor_process, (E_ env, void *object, const ErlNifPid *pid, ErlNifMonitor *monitor));
F_(int, enif_demonitor_process, (E_ env, void *object, const ErlNifMonitor *monitor));
F_(int, enif_compare_monitors, (const ErlNifMonitor *a, const ErlNifMonitor *b));
F_(T_, enif_make_monitor_term, (E_ env, const ErlNifMonitor *monitor));
F_(int, enif_select, (E_ env, ErlNifEvent event, enum ErlNifSelectFlags flags, void *object, const ErlNifPid *pid,
   T_ reference));
F_(int, enif_select_x, (E_ env, ErlNifEvent event, enum ErlNifSelectFlags flags, void *object, const ErlNifPid *pid,
   T_ message, E_ message_env));

/* Time */
F_(ErlNifTime, enif_monotonic_time, (ErlNifTimeUnit unit));
F_(ErlNifTime, enif_time_offset, (ErlNifTimeUnit unit));
F_(ErlNifTime, enif_convert_time_unit, (ErlNifTime time, ErlNifTimeUnit from, ErlNifTimeUnit to));
F_(T_, enif_now_time, (E_ env));
F_(T_, enif_cpu_time, (E_ env));

/* Printing: as printf, and %T for terms */
F_(int, enif_fprintf, (FILE *file, const char *format, ...));
F_(int, enif_vfprintf, (FILE *file, const char *format, va_list arguments));
F_(int, enif_snprintf, (char *buffer, size_t size, const char *format, ...));
F_(int, enif_vsnprintf, (char *buffer, size_t size, const char *format, va_list arguments));

/* Threads and locks */
F_(int, enif_thread_create,
   (char *name, ErlNifTid *thread, void *(*function)(void *), void *argument, ErlNifThreadOpts *options));
F_(ErlNifTid, enif_thread_self, (void));
F_(int, enif_equal_tids, (ErlNifTid a, ErlNifTid b));
F_(void, enif_thread_exit, (void *result));
F_(int, enif_thread_join, (ErlNifTid thread, void **result));
F_(char *, enif_thread_name, (ErlNifTid thread));
F_(ErlNifThreadOpts *, enif_thread_opts_create, (char *name) ERL_NAPI_ATTR_WUR);
F_(void, enif_thread_opts_destroy, (ErlNifThreadOpts *options));
F_(int, enif_tsd_key_create, (char *name, ErlNifTSDKey *key));
F_(void, enif_tsd_key_destroy, (ErlNifTSDKey key));
F_(void, enif_tsd_set, (ErlNifTSDKey key, void *data));
F_(void *, enif_tsd_get, (ErlNifTSDKey key));
F_(ErlNifMutex *, enif_mutex_create, (char *name) ERL_NAPI_ATTR_WUR);
F_(void, enif_mutex_destroy, (ErlNifMutex *mutex));
F_(void, enif_mutex_lock, (ErlNifMutex *mutex));
F_(int, enif_mutex_trylock, (ErlNifMutex *mutex));
F_(void, enif_mutex_unlock, (ErlNifMutex *mutex));
F_(char *, enif_mutex_name, (ErlNifMutex *mutex));
F_(ErlNifCond *, enif_cond_create, (char *name) ERL_NAPI_ATTR_WUR);
F_(void, enif_cond_destroy, (ErlNifCond *condition));
F_(void, enif_cond_signal, (ErlNifCond *condition));
F_(void, enif_cond_broadcast, (ErlNifCond *condition));
F_(void, enif_cond_wait, (ErlNifCond *condition, ErlNifMutex *mutex));
F_(char *, enif_cond_name, (ErlNifCond *condition));
F_(ErlNifRWLock *, enif_rwlock_create, (char *name) ERL_NAPI_ATTR_WUR);
F_(void, enif_rwlock_destroy, (ErlNifRWLock *lock));
F_(void, enif_rwlock_rlock, (ErlNifRWLock *lock));
F_(int, enif_rwlock_tryrlock, (ErlNifRWLock *lock));
F_(void, enif_rwlock_runlock, (ErlNifRWLock *lock));
F_(void, enif_rwlock_rwlock, (ErlNifRWLock *lock));
F_(int, enif_rwlock_tryrwlock, (ErlNifRWLock *lock));
F_(void, enif_rwlock_rwunlock, (ErlNifRWLock *lock));
F_(char *, enif_rwlock_name, (ErlNifRWLock *lock));

#undef F_
#undef E_
#undef T_
