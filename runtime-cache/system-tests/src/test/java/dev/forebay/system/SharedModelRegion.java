package dev.forebay.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The {@link ModelRegion} of this JVM. The first class starts it, and it ends with the JVM. */
final class SharedModelRegion {

    private static final class Holder {
        static final ModelRegion REGION = start();

        private static ModelRegion start() {
            try {
                ModelRegion region = new ModelRegion(Files.createTempDirectory("model-"));
                Runtime.getRuntime()
                        .addShutdownHook(new Thread(() -> end(region), "shared-model-region"));
                return region;
            } catch (Exception e) {
                throw new IllegalStateException(
                        "The region of the reference model did not start", e);
            }
        }

        private static void end(ModelRegion region) {
            region.close();
            try (Stream<Path> all = Files.walk(region.directory)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private SharedModelRegion() {}

    /** Returns the region. Callers must not close it. */
    static ModelRegion get() {
        return Holder.REGION;
    }
}
