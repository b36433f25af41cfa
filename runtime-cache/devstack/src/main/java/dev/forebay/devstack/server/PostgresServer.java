package dev.forebay.devstack.server;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.tool.Toolbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL with one database and one user, both {@code forebay}. The first start takes about 1 s.
 */
public final class PostgresServer extends OneProcessServer {
    private static final String NAME = "forebay";

    private final int port;
    private final String password;

    private PostgresServer(ServerProcess process, int port, String password) {
        super(process);
        this.port = port;
        this.password = password;
    }

    /** Starts PostgreSQL on a free port. It ends with this JVM at the latest. */
    public static PostgresServer start(Path directory) {
        return start(directory, Ports.free(), Launch.Lifetime.THIS_JVM);
    }

    /** Starts PostgreSQL on a port. Creates the database first if the directory has none. */
    public static PostgresServer start(Path directory, int port, Launch.Lifetime lifetime) {
        Path absolute = directory.toAbsolutePath();
        Path programs = Toolbox.ofThisMachine().postgres();
        Path passwordFile = absolute.resolve("password");
        String password = Secrets.keptIn(passwordFile, () -> Secrets.random(16));
        Path data = absolute.resolve("data");
        if (!Files.exists(data)) {
            initialize(programs, absolute, data, passwordFile);
        }
        List<String> command =
                List.of(
                        programs.resolve("postgres").toString(),
                        "-D",
                        data.toString(),
                        "-p",
                        Integer.toString(port),
                        "-c",
                        "listen_addresses=127.0.0.1",
                        "-c",
                        "unix_socket_directories=",
                        "-c",
                        // A sync protects from a crash of the machine, not of the process.
                        "fsync=off");
        // SIGINT disconnects clients and stops. SIGTERM would wait for clients.
        Launch launch =
                Launch.of(
                                "postgres",
                                absolute,
                                command,
                                Map.of(),
                                () -> Readiness.accepts(port).ready() && saysReady(data),
                                lifetime)
                        .neverAsRoot("INT");
        return new PostgresServer(ServerProcess.start(launch), port, password);
    }

    /** Returns the JDBC address of the database, without user and password. */
    public String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:%d/%s".formatted(port, NAME);
    }

    /** Returns the database user. */
    public String user() {
        return NAME;
    }

    /** Returns the user's password. */
    public String password() {
        return password;
    }

    /** Returns the port on 127.0.0.1. */
    public int port() {
        return port;
    }

    /**
     * Reads the server's state from the eighth line of {@code postmaster.pid}, as {@code pg_ctl}
     * does. A killed server leaves the file behind, so the caller checks first that the port is
     * open.
     */
    private static boolean saysReady(Path data) throws IOException {
        try {
            List<String> lines = Files.readAllLines(data.resolve("postmaster.pid"));
            return lines.size() >= 8 && lines.get(7).trim().equals("ready");
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * Creates the data under another name and renames them, so that an interrupted start leaves no
     * incomplete database.
     */
    private static void initialize(Path programs, Path directory, Path data, Path passwordFile) {
        Path unfinished = directory.resolve("data.unfinished-" + Secrets.random(4));
        run(
                directory,
                "",
                programs.resolve("initdb").toString(),
                "--pgdata=" + unfinished,
                "--username=" + NAME,
                "--pwfile=" + passwordFile,
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--no-locale",
                "--no-sync",
                "--no-instructions");
        run(
                directory,
                "CREATE DATABASE " + NAME + "\n",
                programs.resolve("postgres").toString(),
                "--single",
                "-D",
                unfinished.toString(),
                "postgres");
        try {
            Files.move(unfinished, data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void run(Path directory, String input, String... command) {
        Path log = directory.resolve("initdb.log");
        Path stdin = directory.resolve("initdb.in");
        List<String> all = new ArrayList<>(Unprivileged.prefix("PostgreSQL"));
        all.addAll(List.of(command));
        @Nullable Process process = null;
        try {
            Files.writeString(stdin, input);
            process =
                    new ProcessBuilder(all)
                            .directory(directory.toFile())
                            .redirectErrorStream(true)
                            .redirectInput(stdin.toFile())
                            .redirectOutput(log.toFile())
                            .start();
            if (process.waitFor() != 0) {
                throw new DevstackException(
                        "%s failed. The end of %s:%n%s"
                                .formatted(command[0], log, LogTail.of(log)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DevstackException("interrupted while making the database", e);
        } finally {
            if (process != null) {
                process.destroyForcibly();
            }
        }
    }
}
