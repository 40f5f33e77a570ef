#include "sys/native_text.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

#include "base/unicode.h"

NativeText native_text;

bool locale_is_utf8(void) {
    locale_t environment = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    bool is_utf8 = environment != (locale_t)0 && strcmp(nl_langinfo_l(CODESET, environment), "UTF-8") == 0;
    if (environment != (locale_t)0)
        freelocale(environment);
    return is_utf8;
}

void native_text_start(void) { native_text.is_latin1 = !locale_is_utf8(); }

void native_text_flag(const char *value) {
    native_text.is_latin1 = value[0] == 'a' ? !locale_is_utf8() : value[0] == 'l';
    native_text.untranslatable = value[1] == 'i'   ? UNTRANSLATABLE_IGNORED
                                 : value[1] == 'e' ? UNTRANSLATABLE_FAILS
                                                   : UNTRANSLATABLE_WARNS;
}

size_t native_text_put(uint32_t character, uint8_t *out) {
    if (character == 0 || (native_text.is_latin1 && character > 255))
        return 0;
    if (!native_text.is_latin1)
        return utf8_encode(character, out);
    *out = (uint8_t)character;
    return 1;
}
