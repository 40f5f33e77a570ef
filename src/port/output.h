/*
 * What a port tells its connected process: {Port, {data, D}} and others. By the thread that runs the port.
 */
#ifndef VIV_PORT_OUTPUT_H
#define VIV_PORT_OUTPUT_H

#include "port/port.h"

/* {Port, {data, D}}: D is a binary or a list of bytes, with `header` as a list of bytes in front; or, where the port
 * tells lines, one message for each, the header in each. `shared`, if not NULL, holds the bytes: they are not copied
 * then if they are many, and are no lines. Where the bytes are NULL, and not only none, a header is all of D. */
void port_tell_data(Port *port, const char *header, size_t header_size, const char *bytes, size_t size,
                    RefcBinary *shared);
/* The same of what lies in a vector, behind the first `skip` bytes: a binary for each part, or one list;
 * never lines. */
void port_tell_vector(Port *port, const char *header, size_t header_size, const ErlIOVec *vector, size_t skip);
/* The rest of a line that has no end: nothing more comes. */
void port_tell_rest_of_line(Port *port);
/* {Port, What}, {Port, {What, Value}}: immediate terms; `to` is a pid. The second is for one that is not closing. */
void port_tell(Port *port, Term to, Term what);
void port_tell_value(Port *port, Term what, Term value);

#endif
