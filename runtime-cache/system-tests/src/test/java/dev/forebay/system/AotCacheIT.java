package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.forebay.devstack.program.AotCache;
import dev.forebay.devstack.program.Program;
import dev.forebay.devstack.server.OneProcessServer;
import dev.forebay.devstack.stack.Region;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks that the programs of a stack run on the AOT caches that were trained for them. */
@ExtendWith(SharedStack.class)
class AotCacheIT {
    private static final Path REPOSITORY = Path.of("../..").toAbsolutePath().normalize();

    private final RunningStack stack;

    AotCacheIT(RunningStack stack) {
        this.stack = stack;
    }

    @Test
    void everyProgramOfAStackUsesItsAotCache() throws IOException {
        assumeThat(
                        AotCache.Mode.ofEnvironment() == AotCache.Mode.ON
                                || Files.exists(cache(Program.WORKER)))
                .as("no AOT cache: run 'make aot'")
                .isTrue();

        assertRunsOnCache(stack.stack().controlPlane(), Program.CONTROL_PLANE);
        for (Region region : stack.stack().regions()) {
            assertRunsOnCache(region.agent(), Program.AGENT);
            assertRunsOnCache(region.worker(0), Program.WORKER);
            assertRunsOnCache(region.fuse(), Program.POD);
        }
    }

    private static void assertRunsOnCache(OneProcessServer server, Program program)
            throws IOException {
        assertThat(Files.readString(Path.of("/proc/" + server.pid() + "/maps")))
                .as("what %s has mapped; its log is %s", server.name(), server.log())
                .contains(cache(program).toString());
    }

    private static Path cache(Program program) {
        return AotCache.of(program, program.jar(REPOSITORY)).file();
    }
}
