package dev.forebay.fuse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The programs in the jar report their version. */
class BuiltVersionIT {

    private static String answer(String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "-jar",
                                "target/forebay-fuse/forebay-fuse.jar"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.strip();
    }

    private static String projectVersion() throws Exception {
        Matcher version =
                Pattern.compile("<version>(.+)</version>")
                        .matcher(Files.readString(Path.of("pom.xml")));
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    @Test
    void podHolderAndDriverReportTheVersionOfTheProject() throws Exception {
        assertThat(answer("--version")).isEqualTo("forebay-fuse " + projectVersion());
        assertThat(answer("hold", "--version")).isEqualTo("forebay-fuse hold " + projectVersion());
        assertThat(answer("csi", "--version")).isEqualTo("forebay-fuse csi " + projectVersion());
    }
}
