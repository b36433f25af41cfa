package dev.forebay.benchmarks.stack;

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
public record Dataset(String name, int files, long bytes) {
    public static final int SMALL_BYTES = 100_000;
    private static final int PER_DIRECTORY = 100;
    private static final double MEGABYTE = 1e6;

    public static Dataset small(String name, int files) {
        return new Dataset(name, files, SMALL_BYTES);
    }

    /** Returns the keys below the prefix, which are also the paths below a mount. */
    public List<String> paths() {
        return IntStream.range(0, files)
                .mapToObj(i -> "%03d/%05d.bin".formatted(i / PER_DIRECTORY, i))
                .toList();
    }

    public DatasetVersion version() {
        return DatasetVersion.of("bench", name, "v1");
    }

    public long totalBytes() {
        return files * bytes;
    }

    public boolean isSmall() {
        return bytes == SMALL_BYTES;
    }

    /** Returns the unit for rates of reading this dataset. */
    public String unit() {
        return isSmall() ? "files/s" : "MB/s";
    }

    public double units() {
        return isSmall() ? files : totalBytes() / MEGABYTE;
    }
}
