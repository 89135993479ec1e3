package transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import common.Mutations;
import coordinator.InstantRuntime.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import records.schemas.TransactionRecord;
import records.schemas.TransactionStatus;

/**
 * Producers, zombies among them, against one coordinator that may lose what is not committed and be loaded again at any step, with marker writes that get lost, come
 * late and twice, and (second protocol) requests that come again long after they were sent (T9, T11, T12). Whatever happens: each transaction has one outcome in
 * all partitions, that which its producer was told, and nothing stays open.
 */
class TransactionModelPropertyTest {
    private static final int SEEDS = 400;
    private static final int STEPS = 300;
    private static final int TIMEOUT = 20_000;

    @Test
    void oneOutcomeForEachTransaction() {
        int ended = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            World world = new World(seed, Mutations.NONE);
            String wrong = world.run();
            assertNull(wrong, "seed " + seed + ": " + wrong);
            ended += world.told.size();
        }
        assertTrue(ended > 5 * SEEDS, "only " + ended + " transactions came to an end");
    }

    @Test
    void plantedBugsAreFound() {
        for (String bug : List.of("txn-markers-before-decision", "txn-repeat-by-state-only")) {
            int found = 0;
            for (int seed = 0; seed < SEEDS && found == 0; seed++) {
                found += new World(seed, bug::equals).run() == null ? 0 : 1;
            }
            assertEquals(1, found, bug + " was not found in " + SEEDS + " seeds");
        }
    }

    /** One producer, which does one thing at a time. */
    private static final class Client {
        private final String id;
        private final int version;
        private final String name;
        private Producer producer;
        private int transactions;
        private boolean open;
        private Boolean ending;
        private boolean dead;

        Client(String id, int version, String name) {
            this.id = id;
            this.version = version;
            this.name = name;
        }

        String transaction() {
            return name + "#" + transactions;
        }
    }

    private static final class World {
        private static final List<String> IDS = List.of("a", "b");

        private final Random random;
        private final ModelPartitions partitions = new ModelPartitions();
        private final TransactionBench bench;
        private final List<Client> clients = new ArrayList<>();
        private final List<Runnable> late = new ArrayList<>();
        private final Map<String, Boolean> told = new TreeMap<>();
        private String violation;

        World(long seed, Mutations mutations) {
            random = new Random(seed);
            bench = new TransactionBench(partitions, seed, 2, "t");
            bench.mutations(mutations);
        }

        /** What is wrong; null for nothing. */
        String run() {
            for (int step = 0; step < STEPS && partitions.violation() == null; step++) {
                step();
            }
            if (bench.holdsCommits()) {
                bench.commit();
            }
            late.forEach(Runnable::run);
            for (int i = 0; i < 20; i++) {
                while (partitions.waiting() > 0) {
                    partitions.deliver(random, false);
                    bench.drain();
                }
                bench.advance(TIMEOUT);
            }
            return verdict();
        }

        private String verdict() {
            if (partitions.violation() != null) {
                return partitions.violation();
            }
            if (violation != null) {
                return violation;
            }
            if (partitions.open() != null) {
                return "still open: " + partitions.open();
            }
            for (String each : IDS) {
                if (bench.state(each) != null && !bench.state(each).status().isIdle()) {
                    return each + " is still " + bench.state(each).status();
                }
            }
            for (Client client : clients) {
                for (int i = 0; i <= client.transactions; i++) {
                    String name = client.name + "#" + i;
                    Map<Boolean, List<String>> outcomes = partitions.outcomes(name);
                    Boolean wanted = told.get(name);
                    if (outcomes.size() > 1 || (wanted != null && outcomes.containsKey(!wanted))) {
                        return name + " told " + wanted + ", outcomes (commit=partitions) " + outcomes;
                    }
                }
            }
            return null;
        }

        private void step() {
            switch (random.nextInt(24)) {
                case 0 -> newClient();
                case 1 -> {
                    if (!bench.holdsCommits()) {
                        bench.reload();
                    }
                }
                case 2 -> bench.holdCommits();
                case 3 -> {
                    if (bench.holdsCommits()) {
                        bench.commit();
                    }
                }
                case 4 -> {
                    if (bench.holdsCommits()) {
                        bench.failAppend();
                    }
                }
                case 5 -> bench.advance(random.nextInt(TIMEOUT / 2));
                case 6, 7, 8, 9, 10 -> {
                    partitions.deliver(random, true);
                    if (!bench.holdsCommits() || random.nextBoolean()) {
                        bench.drain();
                    }
                }
                case 11, 12 -> {
                    if (!late.isEmpty()) {
                        late.remove(random.nextInt(late.size())).run();
                    }
                }
                default -> act();
            }
        }

        private void newClient() {
            String id = IDS.get(random.nextInt(IDS.size()));
            // One id has clients of the first protocol, so late requests are not for them.
            int version = id.equals("a") ? 2 : 0;
            clients.add(new Client(id, version, "c" + clients.size() + "v" + version));
        }

        private void act() {
            List<Client> able = clients.stream().filter(each -> !each.dead).toList();
            if (able.isEmpty()) {
                newClient();
                return;
            }
            Client client = able.get(random.nextInt(able.size()));
            if (client.producer == null) {
                init(client, new Producer(client.id, -1, (short) -1));
            } else if (client.ending != null) {
                end(client);
            } else if (client.open && random.nextInt(3) == 0) {
                client.ending = random.nextBoolean();
                end(client);
            } else if (!client.open && random.nextInt(20) == 0) {
                init(client, client.producer);
            } else {
                client.open = true;
                Producer as = client.producer;
                String transaction = client.transaction();
                TopicPartition to = new TopicPartition("t", random.nextInt(3));
                boolean fresh = produce(client, as, transaction, to);
                if (fresh && client.version == 2 && random.nextInt(4) == 0) {
                    late.add(() -> produce(client, as, transaction, to));
                }
            }
        }

        private void init(Client client, Producer asking) {
            Answer<ProducerAnswer> answer = bench.init(asking, TIMEOUT);
            if (asking.producerId() != -1 && random.nextInt(3) == 0) {
                late.add(() -> bench.init(asking, TIMEOUT));
            }
            if (!answer.isDone() || answer.failure() != null || random.nextInt(6) == 0) {
                return;
            }
            if (answer.value().error() == Errors.NONE) {
                client.producer = new Producer(
                        client.id, answer.value().producerId(), answer.value().epoch());
                client.open = false;
            } else if (answer.value().error() != Errors.CONCURRENT_TRANSACTIONS) {
                client.dead = true;
            }
        }

        /** As the partition's leader does for a batch: verified, then appended unless a marker came in between. */
        private boolean produce(Client client, Producer as, String transaction, TopicPartition to) {
            // Clients of the first protocol ask the coordinator before each first record of a transaction.
            if (client.version == 2 && partitions.isOpen(to, as)) {
                return partitions.append(to, as, transaction);
            }
            int guard = partitions.guard(to);
            Answer<Errors> added = bench.write(shard -> shard.membership().add(as, List.of(to), client.version));
            boolean confirmed = added.isDone() && added.failure() == null && added.value() == Errors.NONE;
            if (added.isDone() && added.failure() == null && added.value() == Errors.PRODUCER_FENCED) {
                client.dead |= as.equals(client.producer);
            }
            // The answer takes its time: markers may come before it.
            if (confirmed && random.nextInt(4) == 0) {
                partitions.deliver(random, true);
            }
            return confirmed && guard == partitions.guard(to) && partitions.append(to, as, transaction);
        }

        private void end(Client client) {
            Producer as = client.producer;
            boolean commit = client.ending;
            Answer<ProducerAnswer> answer = bench.end(as, commit, client.version);
            if (client.version == 2 && random.nextInt(3) == 0) {
                late.add(() -> bench.end(as, commit, 2));
            }
            if (!answer.isDone() || answer.failure() != null || random.nextInt(6) == 0) {
                return;
            }
            ProducerAnswer value = answer.value();
            if (value.error() == Errors.PRODUCER_FENCED && isNewest(as)) {
                violation = "the newest producer of its id was fenced: " + as;
            }
            if (value.error() == Errors.NONE) {
                told.put(client.transaction(), commit);
                client.producer = new Producer(client.id, value.producerId(), value.epoch());
                next(client);
            } else if (value.error() == Errors.INVALID_TXN_STATE
                    && bench.state(client.id).status() != TransactionStatus.ONGOING) {
                // Nothing of it was ever verified.
                next(client);
            } else if (value.error() != Errors.CONCURRENT_TRANSACTIONS) {
                client.dead = true;
            }
        }

        private boolean isNewest(Producer producer) {
            TransactionRecord.Value now = bench.state(producer.transactionalId());
            return now != null && now.producerId() == producer.producerId() && now.producerEpoch() == producer.epoch();
        }

        private static void next(Client client) {
            client.transactions++;
            client.open = false;
            client.ending = null;
        }
    }
}
