package arch.planted.protocol;

/** What the planted handlers do. */
interface Contract {
    int handle();
}
