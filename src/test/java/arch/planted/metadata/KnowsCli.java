package arch.planted.metadata;

import arch.Breaks;
import arch.planted.cli.Printer;

@Breaks("R7")
final class KnowsCli {
    Printer printer;
}
