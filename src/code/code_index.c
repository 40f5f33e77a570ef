#include "code/code_index.h"

unsigned the_active_code_index = 0;
unsigned the_staging_code_index = 1;
uint64_t the_code_publications = 0;
