import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Transactional producers, a connection each. Paced: transactions begin at evenly spread moments, the producers in turn; one whose last transaction has not
 * ended when it is its turn leaves it out, and it is counted as late. Or each producer begins the next as soon as the last has ended.
 */
final class TxnLoad {
  private static final long PATIENCE_MS = 120_000;

  private final Wire wire;
  private final TxnProducer.Shape shape;
  private final List<TxnProducer> producers = new ArrayList<>();
  private final Tally tally = new Tally();
  private Histogram ends;
  private Histogram wholes;
  private long committed;
  private long aborted;
  private int toBegin;
  private int abortEvery;
  private int begun;

  TxnLoad(Wire wire, TxnProducer.Shape shape) {
    this.wire = wire;
    this.shape = shape;
  }

  /** All producers have their ids. */
  String init(String prefix, int count) throws IOException {
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      var producer = new TxnProducer[1];
      producer[0] = new TxnProducer(wire, prefix + i, shape, tally, (began, asked, kept) -> ended(producer[0], began, asked, kept));
      producers.add(producer[0]);
      producer[0].init();
    }
    if (!wire.runUntil(() -> producers.stream().allMatch(TxnProducer::ready), PATIENCE_MS)) {
      tally.error("init.UNFINISHED");
    }
    return "init_ms=%.1f".formatted((System.nanoTime() - start) / 1e6) + tally;
  }

  private void ended(TxnProducer producer, long began, long asked, boolean kept) {
    long now = System.nanoTime();
    ends.recordValue(now - asked);
    wholes.recordValue(now - began);
    if (kept) {
      committed++;
    } else {
      aborted++;
    }
    if (toBegin > 0) {
      toBegin--;
      begin(producer);
    }
  }

  private void begin(TxnProducer producer) {
    producer.begin(abortEvery == 0 || ++begun % abortEvery != 0);
  }

  private void reset() {
    ends = new Histogram(3);
    wholes = new Histogram(3);
    committed = 0;
    aborted = 0;
    abortEvery = 0;
    toBegin = 0;
    producers.forEach(TxnProducer::takeRetries);
  }

  /** Transactions that commit, {@code perSecond} of them. */
  String paced(double perSecond, int seconds) throws IOException {
    reset();
    var lag = new Histogram(3);
    long period = (long) (TimeUnit.SECONDS.toNanos(1) / perSecond);
    long start = System.nanoTime();
    int count = (int) (perSecond * seconds);
    int late = 0;
    for (int i = 0; i < count; i++) {
      long due = start + i * period;
      while (System.nanoTime() < due) {
        wire.runUntil(() -> System.nanoTime() >= due, 1 + TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime()));
      }
      lag.recordValue(System.nanoTime() - due);
      var producer = producers.get(i % producers.size());
      if (producer.busy()) {
        late++;
      } else {
        begin(producer);
      }
    }
    finish();
    return report(start) + " late=" + late + Tally.percentiles("driver_lag", lag) + tally;
  }

  /** {@code count} transactions as fast as all producers together can; each {@code abortEvery}th aborts, none for 0. */
  String fast(int count, int abortsEvery) throws IOException {
    reset();
    abortEvery = abortsEvery;
    toBegin = count;
    long start = System.nanoTime();
    for (var each : producers) {
      if (toBegin > 0) {
        toBegin--;
        begin(each);
      }
    }
    finish();
    return report(start) + tally;
  }

  private void finish() throws IOException {
    if (!wire.runUntil(() -> tally.count() > 0 || producers.stream().noneMatch(TxnProducer::busy), PATIENCE_MS)) {
      tally.error("UNFINISHED");
    }
  }

  private String report(long start) {
    double seconds = (System.nanoTime() - start) / 1e9;
    int retries = producers.stream().mapToInt(TxnProducer::takeRetries).sum();
    return "txns=%d committed=%d aborted=%d txns_s=%.2f records=%d retries=%d".formatted(committed + aborted, committed, aborted,
        (committed + aborted) / seconds, (committed + aborted) * shape.records(), retries)
        + Tally.percentiles("end", ends) + Tally.percentiles("whole", wholes);
  }
}
