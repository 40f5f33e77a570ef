/* A shared object that is no library. */
int nothing_of_interest(void) { return 1; }
