package dev.forebay.benchmarks;

import dev.forebay.model.DatasetVersion;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Objects of one size below one prefix of the lake.
 *
 * @param name also the prefix, without its slash
 * @param files how many there are
 * @param bytes of each
 */
record Dataset(String name, int files, long bytes) {
    static final int SMALL_BYTES = 100_000;
    private static final int PER_DIRECTORY = 100;
    private static final double MEGABYTE = 1e6;

    static Dataset small(String name, int files) {
        return new Dataset(name, files, SMALL_BYTES);
    }

    /** Returns the keys below the prefix, which are also the paths below a mount. */
    List<String> paths() {
        return IntStream.range(0, files)
                .mapToObj(i -> "%03d/%05d.bin".formatted(i / PER_DIRECTORY, i))
                .toList();
    }

    DatasetVersion version() {
        return DatasetVersion.of("bench", name, "v1");
    }

    long totalBytes() {
        return files * bytes;
    }

    boolean isSmall() {
        return bytes == SMALL_BYTES;
    }

    /** Returns the unit for rates of reading this dataset. */
    String unit() {
        return isSmall() ? "files/s" : "MB/s";
    }

    double units() {
        return isSmall() ? files : totalBytes() / MEGABYTE;
    }
}
