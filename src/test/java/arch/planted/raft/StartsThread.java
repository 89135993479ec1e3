package arch.planted.raft;

import arch.Breaks;

@Breaks("R2")
final class StartsThread {
    void run(Runnable task) {
        new Thread(task).start();
    }
}
