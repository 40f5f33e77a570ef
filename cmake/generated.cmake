# Sources made from the *.tab tables by the generators in tools/. Sets GENERATED_SOURCES; the target `generated` makes
# all. A generator writes a file only when its content changes, so that an unchanged table recompiles nothing.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

file(GLOB_RECURSE BIF_TABLES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/bif/*.tab)
file(GLOB INSN_TABLES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/emu/*.tab)
file(GLOB INSN_GENERATOR CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/gen_insns.py)
file(GLOB TOOL_MODULES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/tables.py)
set(GENERATED_SOURCES)
set(GENERATED_FILES)

# generate(<generator> INPUTS <tables> OUTPUTS <files in GENERATED>): `<generator> <output folder> <tables>`
function(generate generator)
    cmake_parse_arguments(ARG "" "" "INPUTS;OUTPUTS" ${ARGN})
    list(TRANSFORM ARG_OUTPUTS PREPEND ${GENERATED}/)
    add_custom_command(OUTPUT ${ARG_OUTPUTS}
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/${generator} ${GENERATED} ${ARG_INPUTS}
        DEPENDS ${CMAKE_SOURCE_DIR}/tools/${generator} ${TOOL_MODULES} ${ARG_INPUTS}
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} COMMENT "${generator}" VERBATIM)
    set(sources ${ARG_OUTPUTS})
    list(FILTER sources INCLUDE REGEX "\\.c$")
    set(GENERATED_SOURCES ${GENERATED_SOURCES} ${sources} PARENT_SCOPE)
    set(GENERATED_FILES ${GENERATED_FILES} ${ARG_OUTPUTS} PARENT_SCOPE)
endfunction()

generate(gen_atoms.py INPUTS ${CMAKE_SOURCE_DIR}/src/term/atoms.tab ${BIF_TABLES} OUTPUTS am.h am_table.c)
generate(gen_alloc.py INPUTS ${CMAKE_SOURCE_DIR}/src/alloc/types.tab OUTPUTS alloc_types.h alloc_types.c)
generate(gen_locks.py INPUTS ${CMAKE_SOURCE_DIR}/src/sys/locks.tab OUTPUTS lock_order.h lock_order.c)
generate(gen_releases.py INPUTS ${CMAKE_SOURCE_DIR}/src/sys/releases.tab OUTPUTS release_traits.h release_traits.c)
generate(gen_flags.py INPUTS ${CMAKE_SOURCE_DIR}/src/init/emulator_flags.tab OUTPUTS emulator_flags.h emulator_flags.c)
generate(gen_powers.py INPUTS ${CMAKE_SOURCE_DIR}/tools/gen_powers.py OUTPUTS powers_of_ten.h)
generate(gen_genops.py INPUTS ${CMAKE_SOURCE_DIR}/src/loader/genops.tab OUTPUTS genops.h genops.c)
generate(gen_nif_exports.py INPUTS ${CMAKE_SOURCE_DIR}/include/erl_nif_api_funcs.h
         ${CMAKE_SOURCE_DIR}/include/erl_driver.h OUTPUTS nif_exports.list)
file(GLOB LIB_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/lib/*.erl ${CMAKE_SOURCE_DIR}/lib/*/*.erl
    ${CMAKE_SOURCE_DIR}/lib/*/*.html ${CMAKE_SOURCE_DIR}/lib/*/*/*.css ${CMAKE_SOURCE_DIR}/lib/*/*/*.js
    ${CMAKE_SOURCE_DIR}/lib/see/completion/*)
generate(gen_lib.py INPUTS ${LIB_SOURCES} OUTPUTS lib_beams.h lib_beams.c)
if(BIF_TABLES AND EXISTS ${CMAKE_SOURCE_DIR}/src/process/bif.h)
    generate(gen_bifs.py INPUTS ${CMAKE_SOURCE_DIR}/src/term/atoms.tab ${BIF_TABLES} OUTPUTS bif_table.h bif_table.c)
endif()
# The instruction generator takes the same arguments. It says which files it writes: `gen_insns.py --outputs`.
if(INSN_TABLES AND INSN_GENERATOR)
    execute_process(COMMAND ${Python3_EXECUTABLE} ${INSN_GENERATOR} --outputs OUTPUT_VARIABLE INSN_OUTPUTS
        OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${INSN_GENERATOR})
    separate_arguments(INSN_OUTPUTS)
    generate(gen_insns.py INPUTS ${INSN_TABLES} OUTPUTS ${INSN_OUTPUTS})
    execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_templates.py --outputs
        OUTPUT_VARIABLE TEMPLATE_OUTPUTS OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(TEMPLATE_OUTPUTS)
    set(kept ${GENERATED_SOURCES})
    generate(gen_templates.py INPUTS ${INSN_TABLES} OUTPUTS ${TEMPLATE_OUTPUTS})
    set(GENERATED_SOURCES ${kept}) # templates are compiled in their own way: CMakeLists.txt
    list(TRANSFORM TEMPLATE_OUTPUTS PREPEND ${GENERATED}/ OUTPUT_VARIABLE TEMPLATE_SOURCES)
endif()

add_custom_target(generated DEPENDS ${GENERATED_FILES})
