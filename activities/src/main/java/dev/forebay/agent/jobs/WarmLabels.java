package dev.forebay.agent.jobs;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.RegionName;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The labels by which nodes of a region say which versions they hold as a whole, such as {@code
 * us-east-1.warm.forebay.dev/5d0c81f2a6…: search_ko-bert_2026-11-20}.
 *
 * <p>The key is what counts. Names of versions are longer than those of labels may be, and cutting
 * or replacing could make two the same, so its name is a digest: of {@code namespace/name@version},
 * by which a person finds it, and 96 bits of SHA-256, by which no two versions have one. Its prefix
 * says whose it is: whatever else a node is labelled with is never touched, also by the agents of
 * other regions. The value is for people.
 */
public record WarmLabels(RegionName region) {

    private static final String DOMAIN = ".warm.forebay.dev/";
    private static final int DIGITS = 24;

    /** Of a label's value, as Kubernetes has it. */
    private static final int LONGEST = 63;

    /** What the keys of all labels of the region begin with. */
    public String prefix() {
        return region + DOMAIN;
    }

    /** The label of nodes that hold a version. */
    public String key(DatasetVersion version) {
        byte[] name = version.toString().getBytes(StandardCharsets.UTF_8);
        return prefix() + Digest.of(name).hex().substring(0, DIGITS);
    }

    /** The labels of a node that holds these. */
    public Map<String, String> of(Collection<DatasetVersion> versions) {
        return versions.stream()
                .distinct()
                .collect(Collectors.toUnmodifiableMap(this::key, WarmLabels::value));
    }

    /** A version's name, as far as it fits; values must end with a letter or a digit. */
    private static String value(DatasetVersion version) {
        String name = version.toString().replace('/', '_').replace('@', '_');
        return name.substring(0, Math.min(name.length(), LONGEST))
                .replaceFirst("[^A-Za-z0-9]+$", "");
    }
}
