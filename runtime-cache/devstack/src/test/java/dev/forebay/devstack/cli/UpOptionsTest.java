package dev.forebay.devstack.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.stack.ExternalServers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class UpOptionsTest {
    @TempDir Path directory;

    @Command
    private static final class Asked {
        @Mixin UpOptions options = new UpOptions();
    }

    private static UpOptions options(String... arguments) {
        return CommandLine.populateCommand(new Asked(), arguments).options;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--workers 0 | --workers is 0: it must be from 1 to 6",
                "--workers 20 | --workers is 20: it must be from 1 to 6",
                "--workers two | --workers",
                "--region a --region a | --region is a more than once",
                "--region Bad_Region | --region is 'Bad_Region': it must be 1 to 63 characters",
                "--region -a | --region",
                "--sweep-interval PT0S | --sweep-interval is PT0S: it must be a duration",
                "--sweep-interval 5m | --sweep-interval is 5m: it must be a duration",
                "--worker-capacity 1000 | --worker-capacity is 1000: it must be at least 33554432",
                "--port-base abc | --port-base is abc: with 2 regions it must be a number from 1024",
                "--port-base 80 | --port-base is 80: with 2 regions it must be a number from 1024",
            })
    void upRejectsInvalidOptionsInOneLineBeforeItCreatesFiles(String arguments, String message) {
        Path data = directory.resolve("data");
        List<String> words = new ArrayList<>(List.of("up", "--data", data.toString()));
        words.addAll(List.of(arguments.split(" ", -1)));
        StringWriter err = new StringWriter();

        int status =
                Devstack.commandLine()
                        .setErr(new PrintWriter(err))
                        .execute(words.toArray(String[]::new));

        assertThat(status).isEqualTo(2);
        assertThat(err.toString().lines())
                .satisfiesExactly(
                        line -> assertThat(line).contains(message),
                        line -> assertThat(line).isEqualTo("See 'devstack up --help'."));
        assertThat(data).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 6})
    void upAcceptsTheMinimumAndMaximumNumberOfWorkers(int workers) {
        assertThat(options("--workers", Integer.toString(workers)).workers()).isEqualTo(workers);
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "7700x", "70000", "-1", "99999999999"})
    void theErrorNamesTheVariableWithTheInvalidPortBase(String base) {
        assertThatThrownBy(() -> portBase(options(), base))
                .isInstanceOf(CommandLine.ParameterException.class)
                .hasMessageStartingWith("FOREBAY_PORT_BASE is " + base + ":")
                .hasMessageContaining("from 1024 to 65000");
    }

    @Test
    void thePortBaseComesFromOptionThenVariableThenLastStartThenDefault() {
        Optional<String> before = Optional.of("7800");
        Map<String, String> environment = Map.of("FOREBAY_PORT_BASE", "8700");
        assertThat(options("--port-base", "9700").portBase(environment, before)).isEqualTo(9700);
        assertThat(options().portBase(environment, before)).isEqualTo(8700);
        assertThat(options().portBase(Map.of(), before)).isEqualTo(7800);
        assertThat(portBase(options(), "")).isEqualTo(7700);
        assertThat(options().portBase(Map.of(), Optional.empty())).isEqualTo(7700);
    }

    private static int portBase(UpOptions options, String variable) {
        return options.portBase(Map.of("FOREBAY_PORT_BASE", variable), Optional.empty());
    }

    @Test
    void thePortBaseLeavesEnoughPortsForAllRegions() {
        String[] many =
                IntStream.range(0, 100)
                        .mapToObj(region -> "--region=r" + region)
                        .toArray(String[]::new);

        assertThatThrownBy(() -> portBase(options(many), "64517"))
                .hasMessageContaining("with 100 regions it must be a number from 1024 to 64516");
        assertThat(portBase(options(many), "64516")).isEqualTo(64516);
    }

    @ParameterizedTest
    @ValueSource(strings = {"not an address", "lake:7070", "s3://lake", "http:///"})
    void anInvalidLakeEndpointIsRejected(String endpoint) {
        assertThatThrownBy(() -> ExternalServers.of(Map.of("FOREBAY_LAKE_ENDPOINT", endpoint)))
                .isInstanceOf(DevstackException.class)
                .hasMessageContaining("FOREBAY_LAKE_ENDPOINT is '%s'", endpoint)
                .hasMessageContaining("http://host:port");
    }

    @Test
    void theLakeGetsTheWholeKeyAndAddressingOfTheEnvironment() {
        Map<String, String> key =
                Map.of(
                        "AWS_ACCESS_KEY_ID", "id",
                        "AWS_SECRET_ACCESS_KEY", "secret",
                        "AWS_SESSION_TOKEN", "token");
        Map<String, String> environment = new HashMap<>(key);
        environment.put("FOREBAY_LAKE_ENDPOINT", "https://s3.example.com");
        environment.put("FOREBAY_LAKE_PATH_STYLE", "false");
        environment.put("AWS_REGION", "eu-west-1");
        assertThat(ExternalServers.of(environment).lake())
                .contains(
                        new ExternalServers.LakeAddress(
                                URI.create("https://s3.example.com"), "eu-west-1", false, key));
        environment.put("FOREBAY_LAKE_PATH_STYLE", "no");
        assertThatThrownBy(() -> ExternalServers.of(environment))
                .hasMessage("FOREBAY_LAKE_PATH_STYLE is 'no': it must be true or false");
    }

    @Test
    void theManifestBucketMustBeTheNameOfABucket() {
        assertThat(options("--manifest-bucket", "my.manifests-1").manifestBucket())
                .isEqualTo("my.manifests-1");
        assertThatThrownBy(() -> options("--manifest-bucket", "My_Bucket").manifestBucket())
                .hasMessageContaining("--manifest-bucket is 'My_Bucket'")
                .hasMessageContaining("3 to 63 characters");
    }
}
