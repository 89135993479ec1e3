import java.util.Scanner;

/** Commands, one a line from standard input; each is answered with a line "= key=value ...", a failure with "= error=...". */
final class Commands {
  private Commands() {}

  @FunctionalInterface
  interface Command {
    String run(String[] words) throws Exception;
  }

  /** Until the input ends. */
  static void serve(Command command) {
    var in = new Scanner(System.in);
    while (in.hasNextLine()) {
      try {
        answer(command.run(in.nextLine().trim().split(" +")));
      } catch (Exception e) {
        e.printStackTrace();
        answer("error=" + e.toString().replaceAll("\\s", "_"));
      }
    }
  }

  static void answer(String line) {
    System.out.println("= " + line);
  }
}
