/* A library that has no driver. */
int no_driver;
