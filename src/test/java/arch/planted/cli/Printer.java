package arch.planted.cli;

public final class Printer {
    void print() {
        System.out.print('.');
    }
}
