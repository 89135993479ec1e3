package services;

import org.junit.jupiter.api.Test;

class FetchSessionsTest {

    @Test
    void sameAsKafka() {
        for (long each = 0; each < 400; each++) {
            FetchSessionsComparison run = new FetchSessionsComparison(each);
            for (int step = 0; step < 120; step++) {
                run.step(step);
            }
        }
    }
}
