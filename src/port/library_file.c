#include "port/library_file.h"

#include <dlfcn.h>
#include <string.h>

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/text.h"

/* What the dynamic linker has said: the first is number -10, the next -11. They are kept for format_error. */
#define FIRST_NUMBER (-10)
static Mutex lock = MUTEX_INITIALIZER(LOCK_DRIVER_ERRORS);
static char **texts;
static size_t text_count;

static char *copied(const char *text) {
    size_t bytes = strlen(text) + 1;
    return memcpy(mem_alloc(ALLOC_PORT, bytes), text, bytes);
}

static size_t place_of(const char *text) {
    size_t i = 0;
    while (i < text_count && strcmp(texts[i], text) != 0)
        i++;
    if (i == text_count) {
        ALLOC_FOR_ALL;
        texts = mem_realloc(ALLOC_PORT, texts, (text_count + 1) * sizeof *texts);
        texts[text_count++] = copied(text);
    }
    return i;
}

/* Without the name of the file in front. */
static Term number_of(const char *text) {
    const char *colon = strstr(text, ": ");
    mutex_lock(&lock);
    size_t place = place_of(colon == NULL ? text : colon + 2);
    mutex_unlock(&lock);
    return small_make(FIRST_NUMBER - (int64_t)place);
}

const char *library_open_error_text(int64_t number) {
    if (number == 0)
        return "No error";
    if (number > 0)
        return "Unspecified error";
    if (number > FIRST_NUMBER)
        return number == -1   ? "No driver init in dynamic library"
               : number == -2 ? "Driver init failed"
               : number == -3 ? "Bad driver name"
                              : "Unknown dlload error";
    size_t place = (size_t)(FIRST_NUMBER - number);
    mutex_lock(&lock);
    const char *text = place < text_count ? texts[place] : "Unknown dlload error";
    mutex_unlock(&lock);
    return text;
}

static void *open_object(const char *path, const char *name, Term *why) {
    TEXT(file);
    text_format(&file, *path == 0 ? "%s%s.so" : "%s/%s.so", path, name);
    void *handle = dlopen(text_cstring(&file), RTLD_NOW);
    if (handle == NULL)
        *why = number_of(dlerror());
    return handle;
}

/* One that knows no versions has no marker. */
static bool version_is_good(const ErlDrvEntry *e) {
    if (e->extended_marker != (int)ERL_DRV_EXTENDED_MARKER ||
        e->major_version < ERL_DRV_MIN_REQUIRED_MAJOR_VERSION_ON_LOAD ||
        e->major_version > ERL_DRV_EXTENDED_MAJOR_VERSION)
        return false;
    return e->major_version < ERL_DRV_EXTENDED_MAJOR_VERSION || e->minor_version <= ERL_DRV_EXTENDED_MINOR_VERSION;
}

/* NON_VALUE: nothing. */
static Term what_is_wrong(const ErlDrvEntry *e, const char *name) {
    if (e == NULL)
        return am_driver_init_failed;
    if (!version_is_good(e))
        return am_driver_incorrect_version;
    if (e->driver_name == NULL || strcmp(e->driver_name, name) != 0)
        return am_bad_driver_name;
    return e->init != NULL && e->init() != 0 ? am_driver_init_failed : NON_VALUE;
}

const ErlDrvEntry *library_file_open(const char *path, const char *name, void **handle, Term *why) {
    *handle = open_object(path, name, why);
    if (*handle == NULL)
        return NULL;
    ErlDrvEntry *(*init)(void) = (ErlDrvEntry * (*)(void))(uintptr_t)dlsym(*handle, "driver_init");
    const ErlDrvEntry *entry = init == NULL ? NULL : init();
    *why = init == NULL ? am_no_driver_init : what_is_wrong(entry, name);
    if (!is_value(*why))
        return entry;
    dlclose(*handle);
    return NULL;
}

void library_file_close(const ErlDrvEntry *entry, void *handle) {
    if (entry->finish != NULL)
        entry->finish();
    dlclose(handle);
}
