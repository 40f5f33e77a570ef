/*
 * Terms as drivers say them: arrays of tags and values, elements before what they are in. Source: erl_driver(3)
 * erl_drv_output_term.
 */
#ifndef VIV_PORT_TERM_SPEC_H
#define VIV_PORT_TERM_SPEC_H

#include "port/driver.h"
#include "term/area.h"

/* Builds the term that `length` words of `spec` say. False: they say none. */
must_check bool term_spec_build(const ErlDrvTermData *spec, size_t length, Area *area, Term *result);

#endif
