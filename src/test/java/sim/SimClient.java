package sim;

/** A client of a world. */
interface SimClient {
    void start();

    /** Finishes what it has begun and begins nothing new. */
    void quiesce();

    /** What it still waits for; null when it is done. */
    String unfinished();

    void stop();
}
