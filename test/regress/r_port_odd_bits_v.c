#define ENTRY .outputv = outputv, .driver_name = "r_port_odd_bits_v"
#include "r_port_odd_bits.c"
