#include "jit/gdb.h"

#include <elf.h>
#include <string.h>

#include "alloc/alloc.h"
#include "sys/thread.h"
#include "term/text.h"

/* --- what gdb looks for ------------------------------------------------------------------------------------------ */

typedef struct GdbFile {
    struct GdbFile *next, *prev;
    const char *bytes;
    uint64_t size;
} GdbFile;

typedef struct {
    uint32_t version, action;
    GdbFile *concerned, *first;
} GdbDescriptor;

enum { ACTION_NONE, ACTION_REGISTER, ACTION_UNREGISTER };

/* Both have the names by which gdb knows them. */
#define descriptor __jit_debug_descriptor
#define gdb_looks __jit_debug_register_code
GdbDescriptor descriptor = {.version = 1};

/* gdb has a breakpoint here. */
noinline void gdb_looks(void);
noinline void gdb_looks(void) { __asm__ volatile("" ::: "memory"); }

static Mutex files_lock = MUTEX_INITIALIZER(LOCK_GDB_FILES);

static void let_look(GdbFile *file, uint32_t action) {
    descriptor.concerned = file;
    descriptor.action = action;
    gdb_looks();
    descriptor.concerned = NULL;
    descriptor.action = ACTION_NONE;
}

/* --- the file ---------------------------------------------------------------------------------------------------- */

enum { SECTION_NONE, SECTION_TEXT, SECTION_FRAMES, SECTION_SYMBOLS, SECTION_STRINGS, SECTION_NAMES, SECTION_COUNT };
static const char section_names[] = "\0.text\0.eh_frame\0.symtab\0.strtab\0.shstrtab";
enum { NAME_TEXT = 1, NAME_FRAMES = 7, NAME_SYMBOLS = 17, NAME_STRINGS = 25, NAME_NAMES = 33 };

enum { REGISTER_RSP = 7, REGISTER_RETURN = 16, CFA_DEF = 0x0c, CFA_OFFSET = 0x80, DATA_ALIGNMENT = -8 };

/* At each instruction the return address, into emu_run, is on top of the stack. */
typedef struct {
    struct {
        uint32_t length, id;
        uint8_t version, augmentation, code_alignment, data_alignment, return_register;
        uint8_t program[5];
        uint8_t padding[6];
    } common;
    struct {
        uint32_t length, common;
        uint64_t start, size;
    } of_code;
    uint32_t end;
} __attribute__((packed)) Frames;

static void put_frames(Text *t, const CodeSpan *code) {
    Frames frames = {.common = {.length = sizeof frames.common - sizeof(uint32_t),
                                .version = 1,
                                .code_alignment = 1,
                                .data_alignment = DATA_ALIGNMENT & 0x7f,
                                .return_register = REGISTER_RETURN,
                                .program = {CFA_DEF, REGISTER_RSP, sizeof(void *), CFA_OFFSET | REGISTER_RETURN, 1}},
                     .of_code = {.length = sizeof frames.of_code - sizeof(uint32_t),
                                 .common = sizeof frames.common + sizeof(uint32_t),
                                 .start = (uint64_t)(uintptr_t)code->address,
                                 .size = code->size}};
    text_bytes(t, &frames, sizeof frames);
}

static void put_symbols(Text *t, Text *strings, const NativeRanges *r) {
    static const Elf64_Sym none;
    text_bytes(t, &none, sizeof none);
    text_byte(strings, '\0');
    for (size_t i = 0; i < r->count; i++) {
        const NativeRange *range = &r->ranges[i];
        Elf64_Sym symbol = {.st_name = (uint32_t)strings->size,
                            .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                            .st_shndx = SECTION_TEXT,
                            .st_value = (uint64_t)(uintptr_t)range->code,
                            .st_size = range->size};
        text_bytes(t, &symbol, sizeof symbol);
        text_bytes(strings, range->name, strlen(range->name) + 1);
    }
}

/* A section of what is put next. */
static Elf64_Shdr section(uint32_t name, uint32_t type, const Text *t) {
    return (Elf64_Shdr){.sh_name = name, .sh_type = type, .sh_offset = t->size, .sh_addralign = 1};
}

static void put_header(Text *t, uint64_t sections) {
    Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_type = ET_EXEC,
                         .e_machine = EM_X86_64,
                         .e_version = EV_CURRENT,
                         .e_shoff = sections,
                         .e_ehsize = sizeof header,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = SECTION_COUNT,
                         .e_shstrndx = SECTION_NAMES};
    memcpy(t->bytes, &header, sizeof header);
}

static void put_file(Text *t, const NativeRanges *r) {
    TEXT(strings);
    const CodeSpan *code = &r->instance->native.code;
    Elf64_Shdr s[SECTION_COUNT] = {{0}};
    text_extend(t, sizeof(Elf64_Ehdr)); /* put_header */
    s[SECTION_TEXT] = section(NAME_TEXT, SHT_NOBITS, t);
    s[SECTION_TEXT].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    s[SECTION_TEXT].sh_addr = (uint64_t)(uintptr_t)code->address;
    s[SECTION_TEXT].sh_size = code->size;
    s[SECTION_FRAMES] = section(NAME_FRAMES, SHT_PROGBITS, t);
    s[SECTION_FRAMES].sh_flags = SHF_ALLOC;
    put_frames(t, code);
    s[SECTION_FRAMES].sh_size = t->size - s[SECTION_FRAMES].sh_offset;
    s[SECTION_SYMBOLS] = section(NAME_SYMBOLS, SHT_SYMTAB, t);
    s[SECTION_SYMBOLS].sh_link = SECTION_STRINGS;
    s[SECTION_SYMBOLS].sh_info = 1; /* the first that is no local one */
    s[SECTION_SYMBOLS].sh_entsize = sizeof(Elf64_Sym);
    put_symbols(t, &strings, r);
    s[SECTION_SYMBOLS].sh_size = t->size - s[SECTION_SYMBOLS].sh_offset;
    s[SECTION_STRINGS] = section(NAME_STRINGS, SHT_STRTAB, t);
    s[SECTION_STRINGS].sh_size = strings.size;
    text_bytes(t, strings.bytes, strings.size);
    s[SECTION_NAMES] = section(NAME_NAMES, SHT_STRTAB, t);
    s[SECTION_NAMES].sh_size = sizeof section_names;
    text_bytes(t, section_names, sizeof section_names);
    uint64_t sections = t->size;
    text_bytes(t, s, sizeof s);
    put_header(t, sections);
}

/* --- telling ----------------------------------------------------------------------------------------------------- */

GdbFile *gdb_tell(const NativeRanges *ranges) {
    TEXT(text);
    put_file(&text, ranges);
    GdbFile *file = mem_alloc(ALLOC_CODE, sizeof *file + text.size);
    memcpy(file + 1, text.bytes, text.size);
    mutex_lock(&files_lock);
    *file = (GdbFile){descriptor.first, NULL, (const char *)(file + 1), text.size};
    if (file->next != NULL)
        file->next->prev = file;
    descriptor.first = file;
    let_look(file, ACTION_REGISTER);
    mutex_unlock(&files_lock);
    return file;
}

void gdb_forget(GdbFile *file) {
    if (file == NULL)
        return;
    mutex_lock(&files_lock);
    if (file->prev != NULL)
        file->prev->next = file->next;
    else
        descriptor.first = file->next;
    if (file->next != NULL)
        file->next->prev = file->prev;
    let_look(file, ACTION_UNREGISTER);
    mutex_unlock(&files_lock);
    mem_free(ALLOC_CODE, file);
}
