package launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import javax.tools.ToolProvider;

/**
 * A checkout of the project in a directory with a space in its name, with the real launcher, but with a broker that only
 * says how it was started and a Maven that only copies it into place and counts.
 */
final class FakeHome {

    private static final long PATIENCE_SECONDS = 120;

    private static final String MAIN = """
            package verticles;

            public final class Main {
                public static void main(String[] args) {
                    for (String arg : args) {
                        System.out.println("arg:" + arg);
                    }
                    System.out.println("pid:" + ProcessHandle.current().pid());
                    System.out.println("java:" + System.getProperty("java.home"));
                    System.out.println("heap:" + Runtime.getRuntime().maxMemory() / 1024 / 1024);
                    System.out.println("directory:" + System.getProperty("user.dir"));
                    System.out.println("command:" + ProcessHandle.current().info().commandLine().orElse(""));
                }
            }
            """;

    /**
     * What a run left behind.
     *
     * @param pid of the process that was started, the launcher
     */
    record Run(int exitCode, String out, String err, long pid) {
        /** The value of an output line such as {@code heap:384}. */
        String value(String name) {
            return out.lines()
                    .filter(line -> line.startsWith(name + ":"))
                    .map(line -> line.substring(name.length() + 1))
                    .findFirst()
                    .orElse("(no " + name + ")");
        }
    }

    private final Path root;
    private final Path home;

    FakeHome(Path temporary) throws IOException {
        root = temporary.toRealPath();
        home = Files.createDirectories(root.resolve("my home"));
        for (String directory : List.of("bin", "conf", "src/main/java", "src/main/resources/cli")) {
            Files.createDirectories(home.resolve(directory));
        }
        Files.copy(Path.of("bin/highwater"), home.resolve("bin/highwater"), StandardCopyOption.COPY_ATTRIBUTES);
        for (String text : List.of("help.txt", "help-start.txt", "help-format.txt")) {
            Path resource = Path.of("src/main/resources/cli", text);
            Files.copy(resource, home.resolve(resource.toString()));
        }
        Files.writeString(home.resolve("pom.xml"), "<project/>");
        Files.writeString(home.resolve("src/main/java/A.java"), "class A {}");
        makeJar();
        writeMaven("cp \"" + root.resolve("made.jar") + "\" target/highwater.jar");
    }

    Path home() {
        return home;
    }

    /** How often the project was built. */
    long builds() throws IOException {
        Path count = root.resolve("builds");
        return Files.exists(count) ? Files.readAllLines(count).size() : 0;
    }

    void breakBuild() throws IOException {
        writeMaven("echo '[ERROR] A.java: the sky has fallen'; echo '[ERROR] -> [Help 1]'; exit 1");
    }

    /** A directory that looks like a JDK of that version; its java ends at once with code 99. */
    Path fakeJdk(String version) throws IOException {
        Path jdk = Files.createDirectories(root.resolve("jdk-" + version));
        Files.createDirectories(jdk.resolve("bin"));
        Files.writeString(jdk.resolve("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"" + version + "\"\n");
        script(jdk.resolve("bin/java"), "exit 99");
        script(jdk.resolve("bin/javac"), "exit 99");
        return jdk;
    }

    Run run(Map<String, String> environment, Path directory, Path launcher, String... args)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        Path out = Files.createTempFile(root, "out", "");
        Path err = Files.createTempFile(root, "err", "");
        builder.redirectOutput(out.toFile()).redirectError(err.toFile());
        for (String name : List.of("JAVA_HOME", "HIGHWATER_JAVA_HOME", "HIGHWATER_OPTS", "HIGHWATER_CLI_OPTS")) {
            builder.environment().remove(name);
        }
        // The JDK of this test, unless a test says otherwise.
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("HIGHWATER_MVN", root.resolve("mvn").toString());
        builder.environment().putAll(new TreeMap<>(environment));
        Process process = builder.start();
        process.getOutputStream().close();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException("the launcher hangs: " + Files.readString(err));
        }
        return new Run(process.exitValue(), Files.readString(out), Files.readString(err), process.pid());
    }

    Run start(String... args) throws IOException, InterruptedException {
        String[] all = new String[args.length + 1];
        all[0] = "start";
        System.arraycopy(args, 0, all, 1, args.length);
        return run(Map.of(), home, home.resolve("bin/highwater"), all);
    }

    private void writeMaven(String action) throws IOException {
        script(root.resolve("mvn"), "mkdir -p target; echo build >>\"" + root.resolve("builds") + "\"\n" + action);
    }

    private static void script(Path file, String text) throws IOException {
        Files.writeString(file, "#!/usr/bin/env bash\n" + text + "\n");
        if (!file.toFile().setExecutable(true)) {
            throw new IOException("cannot make " + file + " executable");
        }
    }

    private void makeJar() throws IOException {
        Path classes = Files.createDirectories(root.resolve("classes"));
        Path source = root.resolve("Main.java");
        Files.writeString(source, MAIN);
        int code = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "--release", "17", "-d", classes.toString(), source.toString());
        if (code != 0) {
            throw new IllegalStateException("the fake broker does not compile");
        }
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
        manifest.getMainAttributes().putValue("Main-Class", "verticles.Main");
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(root.resolve("made.jar")), manifest)) {
            jar.putNextEntry(new JarEntry("verticles/Main.class"));
            jar.write(Files.readAllBytes(classes.resolve("verticles/Main.class")));
            jar.closeEntry();
        }
    }
}
