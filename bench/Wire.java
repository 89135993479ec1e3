import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.Readable;

/**
 * Many connections to one broker, and timers, on the one thread that calls {@link #runUntil}. It keeps a client's own cost
 * small and the same for every broker: requests go out as they are asked for, with no limit on those in flight.
 */
final class Wire implements AutoCloseable {
  private static final int READ_BUFFER = 64 * 1024;

  private record Timer(long due, long order, Runnable task) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      int byTime = Long.compare(due, other.due);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private record InFlight(int correlationId, short headerVersion, Consumer<Readable> then) {}

  private final InetSocketAddress address;
  private final Selector selector;
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private final List<Link> links = new ArrayList<>();
  private final ByteBuffer input = ByteBuffer.allocateDirect(READ_BUFFER);
  private long timersMade;
  private int unanswered;

  Wire(String bootstrap) throws IOException {
    String[] hostAndPort = bootstrap.split(",")[0].split(":");
    address = new InetSocketAddress(hostAndPort[0], Integer.parseInt(hostAndPort[1]));
    selector = Selector.open();
  }

  /** Connects, waiting for it: connecting is not what is measured. */
  Link connect() throws IOException {
    var link = new Link(SocketChannel.open(address));
    links.add(link);
    return link;
  }

  List<Link> connect(int count) throws IOException {
    var made = new ArrayList<Link>();
    for (int i = 0; i < count; i++) {
      made.add(connect());
    }
    return made;
  }

  /** Runs {@code task} at {@code due} (System.nanoTime), or up to a millisecond or what else the thread does later. */
  void at(long due, Runnable task) {
    timers.add(new Timer(due, timersMade++, task));
  }

  void after(long millis, Runnable task) {
    at(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), task);
  }

  /** Runs timers and connections until {@code done}; false if that does not come true in time. */
  boolean runUntil(BooleanSupplier done, long patienceMs) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
    while (!done.getAsBoolean()) {
      long now = System.nanoTime();
      if (now >= deadline) {
        return false;
      }
      runTimers(now);
      select(deadline);
    }
    return true;
  }

  void run(long millis) throws IOException {
    runUntil(() -> false, millis);
  }

  /** Runs until every request has been answered. */
  void awaitAnswers(long patienceMs) throws IOException {
    if (!runUntil(() -> unanswered == 0, patienceMs)) {
      throw new IllegalStateException(unanswered + " requests were not answered in " + patienceMs + " ms");
    }
  }

  private void runTimers(long now) {
    while (!timers.isEmpty() && timers.peek().due() <= now) {
      timers.poll().task().run();
    }
  }

  private void select(long deadline) throws IOException {
    long wake = timers.isEmpty() ? deadline : Math.min(deadline, timers.peek().due());
    long wait = wake - System.nanoTime();
    if (wait > 0) {
      selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(wait))); // a timer may be a millisecond late: spinning costs a core
    } else {
      selector.selectNow();
    }
    for (var key : selector.selectedKeys()) {
      ((Link) key.attachment()).ready(key);
    }
    selector.selectedKeys().clear();
  }

  @Override
  public void close() throws IOException {
    for (var link : links) {
      link.channel.close();
    }
    selector.close();
  }

  /** One connection. A connection that breaks ends the measurement: its figures would mean nothing. */
  final class Link {
    private final SocketChannel channel;
    private final SelectionKey key;
    private final ArrayDeque<ByteBuffer> output = new ArrayDeque<>();
    private final ArrayDeque<InFlight> inFlight = new ArrayDeque<>();
    private final ByteBuffer size = ByteBuffer.allocate(4);
    private ByteBuffer answer;
    private int correlationId;

    private Link(SocketChannel channel) throws IOException {
      this.channel = channel;
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      key = channel.register(selector, SelectionKey.OP_READ, this);
    }

    /** Sends a request; {@code then} gets the parsed answer on the same thread. */
    <T> void ask(ApiKeys api, int version, ApiMessage request, BiFunction<Readable, Short, T> parse, Consumer<T> then) {
      var header = new RequestHeaderData()
          .setRequestApiKey(api.id).setRequestApiVersion((short) version)
          .setCorrelationId(++correlationId).setClientId("probe");
      var head = MessageUtil.toByteBufferAccessor(header, api.requestHeaderVersion((short) version)).buffer();
      var body = MessageUtil.toByteBufferAccessor(request, (short) version).buffer();
      var frame = ByteBuffer.allocate(4 + head.remaining() + body.remaining());
      frame.putInt(head.remaining() + body.remaining()).put(head).put(body).flip();
      inFlight.add(new InFlight(correlationId, api.responseHeaderVersion((short) version),
          readable -> then.accept(parse.apply(readable, (short) version))));
      unanswered++;
      output.add(frame);
      write();
    }

    private void ready(SelectionKey selected) throws IOException {
      if (selected.isReadable()) {
        read();
      }
      if (selected.isValid() && selected.isWritable()) {
        write();
      }
    }

    private void write() {
      try {
        while (!output.isEmpty()) {
          channel.write(output.peek());
          if (output.peek().hasRemaining()) {
            break;
          }
          output.remove();
        }
      } catch (IOException e) {
        throw new IllegalStateException("the broker closed a connection: " + e.getMessage(), e);
      }
      key.interestOps(output.isEmpty() ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    }

    private void read() throws IOException {
      input.clear();
      int got = channel.read(input);
      if (got < 0) {
        throw new IllegalStateException("the broker closed a connection");
      }
      input.flip();
      while (input.hasRemaining()) {
        var into = answer == null ? size : answer;
        while (into.hasRemaining() && input.hasRemaining()) {
          move(input, into);
        }
        if (!into.hasRemaining()) {
          into.flip();
          if (answer == null) {
            answer = ByteBuffer.allocate(size.getInt());
            size.clear();
          } else {
            answer = null;
            answered(into);
          }
        }
      }
    }

    private void answered(ByteBuffer bytes) {
      var expected = inFlight.remove();
      unanswered--;
      var readable = new ByteBufferAccessor(bytes);
      int got = new ResponseHeaderData(readable, expected.headerVersion()).correlationId();
      if (got != expected.correlationId()) {
        throw new IllegalStateException("answer " + got + " came where " + expected.correlationId() + " was due");
      }
      expected.then().accept(readable);
    }
  }

  private static void move(ByteBuffer from, ByteBuffer to) {
    int bytes = Math.min(from.remaining(), to.remaining());
    to.put(from.slice(from.position(), bytes));
    from.position(from.position() + bytes);
  }
}
