package verticles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

class TaskQueueTest {

    private static final class Numbered extends QueuedTask {
        final int producer;
        final int number;

        Numbered(int producer, int number) {
            this.producer = producer;
            this.number = number;
        }

        @Override
        void run() {}
    }

    @Test
    void onlyTheFirstTaskOfABurstWakes() {
        TaskQueue queue = new TaskQueue();
        assertNull(queue.takeAllOrSleep());
        assertTrue(queue.push(new Numbered(0, 0)));
        assertFalse(queue.push(new Numbered(0, 1)));
        assertEquals(List.of(0, 1), numbers(queue.takeAllOrSleep()));
        assertFalse(queue.push(new Numbered(0, 2)), "the consumer is awake and looks again");
        assertEquals(List.of(2), numbers(queue.takeAllOrSleep()));
        assertNull(queue.takeAllOrSleep());
        assertTrue(queue.push(new Numbered(0, 3)), "the consumer fell asleep");
    }

    private static List<Integer> numbers(QueuedTask first) {
        List<Integer> numbers = new ArrayList<>();
        for (QueuedTask task = first; task != null; task = task.earlier) {
            numbers.add(((Numbered) task).number);
        }
        return numbers;
    }

    /** Nothing is lost, doubled or reordered per producer, and a consumer that sleeps exactly when told to is always woken. */
    @Test
    void manyProducers() throws InterruptedException {
        int producers = 4;
        int each = 50_000;
        TaskQueue queue = new TaskQueue();
        Semaphore wakeUps = new Semaphore(0);
        List<Thread> threads = new ArrayList<>();
        for (int producer = 0; producer < producers; producer++) {
            int self = producer;
            Thread thread = new Thread(() -> {
                for (int number = 0; number < each; number++) {
                    if (queue.push(new Numbered(self, number))) {
                        wakeUps.release();
                    }
                }
            });
            threads.add(thread);
            thread.start();
        }
        int[] next = new int[producers];
        int left = producers * each;
        while (left > 0) {
            wakeUps.acquire();
            QueuedTask task = queue.takeAllOrSleep();
            while (task != null) {
                QueuedTask following = task.earlier;
                Numbered numbered = (Numbered) task;
                assertEquals(next[numbered.producer]++, numbered.number);
                left--;
                task = following == null ? queue.takeAllOrSleep() : following;
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, wakeUps.availablePermits());
    }
}
