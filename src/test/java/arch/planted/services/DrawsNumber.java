package arch.planted.services;

import arch.Breaks;
import java.util.Random;

@Breaks("R2")
final class DrawsNumber {
    int number() {
        return new Random().nextInt();
    }
}
