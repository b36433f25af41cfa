package dev.forebay.devstack.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the command opens folders of any name in any locale. */
class LocaleIT {

    @ParameterizedTest
    @ValueSource(strings = {"C", "POSIX", "C.UTF-8", "xx_XX.UTF-8"})
    void theCommandOpensFoldersWithCharactersThatTheLocaleLacks(String locale, @TempDir Path folder)
            throws Exception {
        // A shell creates the name, which this JVM cannot represent in every locale.
        ProcessBuilder status =
                new ProcessBuilder(
                                "sh",
                                "-c",
                                "FOREBAY_DATA=$1/$(printf '\\303\\274') exec bin/devstack status",
                                "sh",
                                folder.toString())
                        .redirectErrorStream(true);
        status.environment().put("LC_ALL", locale);
        Process process = status.start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);

        process.waitFor();
        assertThat(output).startsWith("not running");
    }
}
