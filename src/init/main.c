/* The program viv. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "init/adopt.h"
#include "init/args.h"
#include "init/boot.h"
#include "init/erl_command.h"
#include "init/node.h"
#include "init/otp_root.h"
#include "init/version.h"
#include "sys/native_text.h"

static int complain_root(const OtpRoot *otp) {
    const char *root = otp->searched[0];
    if (access(root, R_OK | X_OK) != 0)
        fprintf(stderr, "viv: the OTP root %s cannot be read: %s\n", root, strerror(errno));
    else
        fprintf(stderr, "viv: %s is no OTP root: there is no lib/stdlib-VSN/ebin in it that can be read\n", root);
    return 1;
}

/* Or what the runtime opens for itself would be standard input, or output: then there is nothing, and nowhere. */
static void open_standard_files(void) {
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* By the name of the file that was started, for argv[0] may be another's (erlc, escript). */
static bool is_started_as(const char *name) {
    const char *program = (const char *)getauxval(AT_EXECFN);
    const char *slash = strrchr(program, '/');
    return strcmp(slash == NULL ? program : slash + 1, name) == 0;
}

/* erts-VSN/bin/viv is a script that starts `beam.smp viv WORDS`, so that a runtime has this program once: whoever packs
 * releases makes two files of one and a link to it. What erlexec gives begins with a flag, or with `--`. */
static bool is_command(int argc, char **argv) { return argc > 1 && strcmp(argv[1], "viv") == 0; }

/* Gives the status of a command that has printed all it has to say. */
static int end_output(void) {
    if (fflush(stdout) == 0)
        return 0;
    fprintf(stderr, "viv: standard output: %s\n", strerror(errno));
    return 1;
}

int main(int argc, char **argv) {
    Args args;
    OtpRoot otp;
    open_standard_files();
    native_text_start();
    if (is_started_as("beam.smp")) {
        if (!is_command(argc, argv)) { /* by erlexec */
            NodeArgs node;
            node_args_parse(&node, argc, argv);
            node_run(&node);
        }
        argc--;
        argv++;
    }
    if (is_started_as("erl")) /* by a node that starts another one */
        return erl_command(argv);
    if (!args_parse(&args, argc, argv))
        return 1;
    switch (args.command) {
    case COMMAND_HELP: args_print_help(); return end_output();
    case COMMAND_VERSION: printf("Vivarium %s (BEAM files of OTP 25 to 28)\n", VIV_VERSION); return end_output();
    case COMMAND_ERL: return erl_command(argv + 1);
    case COMMAND_ADOPT: return adopt_command(argv + 2);
    case COMMAND_RUN: break;
    }
    otp_root_find(&otp, args.otp);
    if (otp.is_explicit && otp.root == NULL)
        return complain_root(&otp);
    if (args.otp != NULL) /* nodes that the program starts find the same */
        setenv("VIV_OTP_ROOT", args.otp, true);
    boot_run(&args, &otp);
}
