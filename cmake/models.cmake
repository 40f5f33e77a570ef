# Models: test/model/m_<protocol>.c, and the mutants of mutations.tab, become <build>/model/<protocol>[.<mutation>];
# test/model/model.h tells what they are. `--target models` builds the models and the first mutant of each,
# `--target mutants` all.
set(MODEL_FOLDER ${CMAKE_SOURCE_DIR}/test/model)
set(MUTANTS ${CMAKE_BINARY_DIR}/mutants)

add_library(model_checker OBJECT ${MODEL_FOLDER}/memory.c ${MODEL_FOLDER}/explore.c ${MODEL_FOLDER}/runtime.c)
target_link_libraries(model_checker PRIVATE viv_flags)
target_include_directories(model_checker PRIVATE ${MODEL_FOLDER})
add_dependencies(model_checker generated)
add_custom_target(models)
add_custom_target(mutants)
add_dependencies(mutants models)

# The instrumentation without its runtime. What a model's sources call and the model does not reach is left out by the
# linker, or stays unresolved until it is called: so flags of their own.
function(add_model name source first_folder)
    add_executable(model_${name} EXCLUDE_FROM_ALL ${source})
    target_include_directories(model_${name} PRIVATE ${first_folder} ${MODEL_FOLDER} ${CMAKE_SOURCE_DIR}/src
        ${GENERATED} ${CMAKE_SOURCE_DIR}/include)
    target_compile_definitions(model_${name} PRIVATE _GNU_SOURCE)
    target_compile_options(model_${name} PRIVATE -O1 -Wall -Wno-unused -fsanitize=thread -femulated-tls
        -fno-strict-aliasing -march=x86-64-v2 -fno-pie -ffunction-sections -include ${MODEL_FOLDER}/redirect.h)
    target_link_options(model_${name} PRIVATE -fuse-ld=lld -no-pie -Wl,--gc-sections -Wl,-z,lazy
        -Wl,--unresolved-symbols=ignore-all)
    target_link_libraries(model_${name} PRIVATE model_checker)
    set_target_properties(model_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY
        ${CMAKE_BINARY_DIR}/model)
    add_dependencies(model_${name} generated)
endfunction()

file(GLOB MODEL_SOURCES CONFIGURE_DEPENDS ${MODEL_FOLDER}/m_*.c)
foreach(source ${MODEL_SOURCES})
    string(REGEX REPLACE ".*/m_(.*)\\.c" "\\1" name ${source})
    add_model(${name} ${source} ${MUTANTS}/${name})
    add_dependencies(model_${name} mutant_sources)
    add_dependencies(models model_${name})
endforeach()

set(MUTATIONS ${MODEL_FOLDER}/mutations.tab)
set(MUTANT_GENERATOR ${CMAKE_SOURCE_DIR}/tools/gen_mutants.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${MUTATIONS} ${MUTANT_GENERATOR})
execute_process(COMMAND ${Python3_EXECUTABLE} ${MUTANT_GENERATOR} --list ${MUTATIONS} OUTPUT_VARIABLE lines
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" lines "${lines}")
set(mutated)
set(models_with_mutant)
foreach(line ${lines})
    separate_arguments(line)
    list(GET line 0 mutant)
    list(GET line 1 file)
    list(APPEND mutated ${CMAKE_SOURCE_DIR}/src/${file})
    string(REGEX REPLACE "\\..*" "" name ${mutant})
    add_model(${mutant} ${MODEL_FOLDER}/m_${name}.c ${MUTANTS}/${mutant})
    add_dependencies(model_${mutant} mutant_sources)
    add_dependencies(mutants model_${mutant})
    if(NOT name IN_LIST models_with_mutant)
        list(APPEND models_with_mutant ${name})
        add_dependencies(models model_${mutant})
    endif()
endforeach()
list(REMOVE_DUPLICATES mutated)
execute_process(COMMAND ${Python3_EXECUTABLE} ${MUTANT_GENERATOR} --made ${MUTATIONS} OUTPUT_VARIABLE mutant_files
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" mutant_files "${mutant_files}")
list(TRANSFORM mutant_files PREPEND ${MUTANTS}/)
add_custom_command(OUTPUT ${MUTANTS}/made BYPRODUCTS ${mutant_files}
    COMMAND ${Python3_EXECUTABLE} ${MUTANT_GENERATOR} ${MUTANTS} ${MUTATIONS}
    COMMAND ${CMAKE_COMMAND} -E touch ${MUTANTS}/made
    DEPENDS ${MUTATIONS} ${MUTANT_GENERATOR} ${mutated} VERBATIM)
add_custom_target(mutant_sources DEPENDS ${MUTANTS}/made)
