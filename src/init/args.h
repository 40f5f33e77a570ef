/*
 * The command line: viv run [options] PROGRAM [arguments], viv erl, viv adopt, viv version, viv help.
 *
 * Options stand before the program; what follows it is the program's. The strings point into argv.
 */
#ifndef VIV_INIT_ARGS_H
#define VIV_INIT_ARGS_H

#include "init/settings.h"

typedef enum { COMMAND_RUN, COMMAND_ERL, COMMAND_ADOPT, COMMAND_VERSION, COMMAND_HELP } Command;
typedef enum { PROGRAM_ERL, PROGRAM_BEAM, PROGRAM_MODULE } ProgramKind;

typedef struct {
    Command command;
    ProgramKind kind;
    const char *program;
    char **arguments; /* the program's */
    int argument_count;
    char **before, **after; /* -pa and -pz directories; ALLOC_MISC */
    int before_count, after_count;
    char **features; /* the words of -enable-feature and -disable-feature, each with its value; ALLOC_MISC */
    int feature_count;
    Settings settings;
    const char *otp; /* --otp, or NULL */
} Args;

/* False: a message has been printed on standard error. */
bool args_parse(Args *args, int argc, char **argv);
void args_print_help(void);

#endif
