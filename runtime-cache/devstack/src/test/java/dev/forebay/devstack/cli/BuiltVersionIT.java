package dev.forebay.devstack.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that a built command reports its version. */
class BuiltVersionIT {

    private static String answer(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("bin/devstack"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.strip();
    }

    @Test
    void theCommandAndItsSubcommandsReportTheProjectVersion() throws Exception {
        Matcher version =
                Pattern.compile("<version>(.+)</version>")
                        .matcher(Files.readString(Path.of("pom.xml")));
        assertThat(version.find()).isTrue();

        assertThat(answer("--version")).isEqualTo("devstack " + version.group(1));
        assertThat(answer("up", "--version")).isEqualTo("devstack " + version.group(1));
    }
}
