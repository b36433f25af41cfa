package dev.forebay.control.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.forebay.devstack.server.Ports;
import dev.forebay.devstack.server.PostgresServer;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** "What PostgreSQL answers", on a real server through the pool that Quarkus uses. */
@SuppressWarnings("NullAway.Init") // set before all tests
class DatabaseFailuresIT {

    @TempDir static Path directory;

    private static PostgresServer database;

    private AgroalDataSource pool;

    private interface Work {
        void on(Connection connection) throws SQLException;
    }

    @BeforeAll
    static void start() throws SQLException {
        database = PostgresServer.start(directory);
        try (AgroalDataSource first = ofOwner()) {
            run(first, statement("create table t (id int primary key, text text)"));
            run(first, statement("create index on t (text)"));
            run(first, statement("create user stranger password 'secret'"));
        }
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    /** A new pool for each test, without connections that a failure has broken. */
    @BeforeEach
    void open() throws SQLException {
        pool = ofOwner();
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private static AgroalDataSource ofOwner() throws SQLException {
        return pool(database.jdbcUrl(), database.user(), database.password());
    }

    private static AgroalDataSource pool(String url, String user, String password)
            throws SQLException {
        return AgroalDataSource.from(
                new AgroalDataSourceConfigurationSupplier()
                        .connectionPoolConfiguration(
                                pool ->
                                        pool.maxSize(2)
                                                .acquisitionTimeout(Duration.ofSeconds(2))
                                                .connectionFactoryConfiguration(
                                                        factory ->
                                                                factory.jdbcUrl(url)
                                                                        .principal(
                                                                                new NamePrincipal(
                                                                                        user))
                                                                        .credential(
                                                                                new SimplePassword(
                                                                                        password)))));
    }

    private static Work statement(String sql) {
        return connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        };
    }

    private static void run(AgroalDataSource from, Work work) throws SQLException {
        try (Connection connection = from.getConnection()) {
            work.on(connection);
        }
    }

    private static Exception meaning(AgroalDataSource from, Work work) {
        SQLException failure = catchThrowableOfType(SQLException.class, () -> run(from, work));
        return NeedsDatabaseInterceptor.translated(new RuntimeException(failure));
    }

    private static void means(ErrorCode code, String said, AgroalDataSource from, Work work) {
        assertThat(meaning(from, work))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        failure -> assertThat(failure.code()).isEqualTo(code))
                .hasMessageContaining(said);
    }

    @Test
    void aRefusedConnectionIsUnavailable() throws SQLException {
        try (AgroalDataSource nobody =
                pool("jdbc:postgresql://127.0.0.1:%d/x".formatted(Ports.free()), "x", "x")) {
            means(ErrorCode.UNAVAILABLE, "refused", nobody, statement("select 1"));
        }
    }

    @Test
    void aPoolWithoutAFreeConnectionIsUnavailable() throws SQLException {
        try (Connection one = pool.getConnection();
                Connection another = pool.getConnection()) {
            assertThat(one).isNotEqualTo(another);
            means(ErrorCode.UNAVAILABLE, "timeout", pool, statement("select 1"));
        }
    }

    @Test
    void aWrongUserOrPasswordIsDenied() throws SQLException {
        try (AgroalDataSource stranger = pool(database.jdbcUrl(), "nobody", "x")) {
            means(ErrorCode.DENIED, "quarkus.datasource.username", stranger, statement("select 1"));
        }
    }

    @Test
    void aMissingPermissionIsDenied() throws SQLException {
        try (AgroalDataSource stranger = pool(database.jdbcUrl(), "stranger", "secret")) {
            means(ErrorCode.DENIED, "permission denied", stranger, statement("select * from t"));
        }
    }

    @Test
    void aMissingDatabaseTableOrColumnIsUnavailable() throws SQLException {
        String url = database.jdbcUrl().replaceAll("/[^/]*$", "/absent");
        try (AgroalDataSource absent = pool(url, database.user(), database.password())) {
            means(ErrorCode.UNAVAILABLE, "absent", absent, statement("select 1"));
        }
        means(ErrorCode.UNAVAILABLE, "schema", pool, statement("select * from later"));
        means(ErrorCode.UNAVAILABLE, "schema", pool, statement("select later from t"));
    }

    @Test
    void aStatementTimeoutIsUnavailable() {
        means(
                ErrorCode.UNAVAILABLE,
                "timeout",
                pool,
                statement("begin; set local statement_timeout = 1; select pg_sleep(60)"));
    }

    @Test
    void aLockedTableIsUnavailable() throws SQLException {
        try (Connection holder = pool.getConnection()) {
            holder.setAutoCommit(false);
            statement("lock table t").on(holder);
            means(
                    ErrorCode.UNAVAILABLE,
                    "lock",
                    pool,
                    statement("begin; lock table t in share mode nowait"));
            holder.rollback();
        }
    }

    /** As on a server that was the primary until a moment ago. */
    @Test
    void aStandbyIsUnavailable() {
        means(
                ErrorCode.UNAVAILABLE,
                "read-only",
                pool,
                statement("begin; set transaction read only; insert into t values (7, '')"));
    }

    @Test
    void aTerminatedConnectionIsUnavailable() {
        means(
                ErrorCode.UNAVAILABLE,
                "does not answer",
                pool,
                statement("select pg_terminate_backend(pg_backend_pid())"));
    }

    @Test
    void aValueThatCannotBeStoredIsInvalid() {
        means(ErrorCode.INVALID_ARGUMENT, "0x00", pool, text("\u0000"));
        StringBuilder long64 = new StringBuilder();
        for (int i = 0; long64.length() < 100_000; i++) {
            long64.append(Integer.toString(i * 7919, 36));
        }
        means(ErrorCode.INVALID_ARGUMENT, "index row", pool, text(long64.toString()));
    }

    private static Work text(String value) {
        return connection -> {
            try (PreparedStatement insert =
                    connection.prepareStatement("insert into t values (8, ?)")) {
                insert.setString(1, value);
                insert.execute();
            }
        };
    }

    @Test
    void aSyntaxErrorIsNotTranslated() {
        assertThat(meaning(pool, statement("selekt")))
                .isInstanceOf(RuntimeException.class)
                .isNotInstanceOf(ForebayException.class);
    }
}
