import java.util.Collection;

/** A member of a group on a raw connection; all calls on the thread of its {@link Wire}. */
interface Member {
  void join();

  void leave();

  /** Heartbeats now, unless one is in flight or there is nothing to heartbeat for. */
  void heartbeat();

  /** Heartbeats from {@code firstDue} (System.nanoTime) on, as long as its Wire runs; the interval may be the broker's. */
  void heartbeatEvery(long intervalMs, long firstDue);

  /** It has an assignment, has acknowledged it, and knows of no rebalance. */
  boolean stable();

  /** The generation or member epoch. */
  int epoch();

  /** The partitions assigned to it. */
  Collection<Integer> owned();
}
