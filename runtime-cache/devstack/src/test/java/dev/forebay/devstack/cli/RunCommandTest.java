package dev.forebay.devstack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class RunCommandTest {
    @Test
    void runRejectsAnUnknownRegion() {
        StringWriter err = new StringWriter();

        int status =
                Devstack.commandLine()
                        .setErr(new PrintWriter(err))
                        .execute("run", "--region", "nosuch", "true");

        assertThat(status).isNotZero();
        assertThat(err.toString())
                .isEqualToIgnoringNewLines(
                        "devstack: there is no region nosuch; the stack has [ap-northeast-2, "
                                + "us-east-1]");
    }
}
