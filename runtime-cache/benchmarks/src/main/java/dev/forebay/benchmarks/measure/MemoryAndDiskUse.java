package dev.forebay.benchmarks.measure;

import dev.forebay.devstack.server.PostgresServer;
import dev.forebay.devstack.stack.Stack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The memory and disk use of a stack's control plane and engine at a moment, in bytes.
 *
 * @param controlPlaneHeapBytes used after a full collection
 * @param controlPlaneBytes resident, after that collection
 * @param temporalBytes resident
 * @param temporalDatabaseBytes its SQLite file and the files beside it
 */
public record MemoryAndDiskUse(
        long controlPlaneHeapBytes,
        long controlPlaneBytes,
        long temporalBytes,
        long temporalDatabaseBytes,
        long postgresDatabaseBytes) {

    /** Also the prefix of the other files, such as {@code temporal.db-wal}. */
    private static final String TEMPORAL_DATABASE = "temporal.db";

    private static final String SIZE = "select pg_database_size(current_database())";

    public static MemoryAndDiskUse of(Stack stack)
            throws IOException, InterruptedException, SQLException {
        long control = stack.controlPlane().pid();
        return new MemoryAndDiskUse(
                LiveHeap.of(control),
                PeakMemory.nowOfProcess(control),
                PeakMemory.nowOfProcess(stack.temporal().pid()),
                temporalDatabase(Objects.requireNonNull(stack.temporal().log().getParent())),
                postgresDatabase(stack.postgres()));
    }

    private static long temporalDatabase(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> parts =
                    files.filter(
                                    file ->
                                            file.getFileName()
                                                    .toString()
                                                    .startsWith(TEMPORAL_DATABASE))
                            .toList();
            long bytes = 0;
            for (Path part : parts) {
                bytes += Files.size(part);
            }
            return bytes;
        }
    }

    private static long postgresDatabase(PostgresServer server) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(
                                server.jdbcUrl(), server.user(), server.password());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SIZE)) {
            row.next();
            return row.getLong(1);
        }
    }
}
