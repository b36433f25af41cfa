package dev.forebay.images;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

/**
 * The part of a JDK that is in the images.
 *
 * @param home the JDK
 */
record JavaRuntime(Path home) {

    /** The directory of the runtime in an image. */
    static final String PLACE = "/opt/java";

    /**
     * All modules of Java SE, because libraries look for classes at run time: Hibernate and Jackson
     * for the beans of java.desktop. Further modules provide {@code sun.misc.Unsafe}, jcmd and the
     * flight recorder, metrics of the JVM, the pod's metrics server, DNS by JNDI (Netty and gRPC),
     * and zip files as file systems. keytool, which makes the webhook's certificate, is in
     * java.base.
     */
    private static final String MODULES =
            String.join(
                    ",",
                    "java.se",
                    "jdk.unsupported",
                    "jdk.attach",
                    "jdk.jcmd",
                    "jdk.jfr",
                    "jdk.management",
                    "jdk.management.agent",
                    "jdk.management.jfr",
                    "jdk.httpserver",
                    "jdk.naming.dns",
                    "jdk.net",
                    "jdk.security.auth",
                    "jdk.zipfs");

    /**
     * Creates the runtime, with the CDS archive of its own classes, which jcmd and keytool use at
     * their start. Line numbers stay, for stack traces.
     *
     * @param into must not exist
     */
    void link(Path into) throws IOException, InterruptedException {
        Command.run(
                home,
                List.of(
                        home.resolve("bin/jlink").toString(),
                        "--add-modules",
                        MODULES,
                        "--no-header-files",
                        "--no-man-pages",
                        "--generate-cds-archive",
                        "--output",
                        into.toString()));
    }

    /** Returns the version of the JDK, such as {@code 25.0.3+9-LTS}. */
    String version() throws IOException {
        return about("JAVA_RUNTIME_VERSION");
    }

    /** Returns the vendor of the JDK. */
    String vendor() throws IOException {
        return about("IMPLEMENTOR");
    }

    private String about(String what) throws IOException {
        Properties release = new Properties();
        try (var in = Files.newBufferedReader(home.resolve("release"))) {
            release.load(in);
        }
        return release.getProperty(what, "unknown").replace("\"", "");
    }
}
