package dev.forebay.agent.jobs;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.RegionName;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The labels of nodes that name the versions which a node holds completely, such as {@code
 * us-east-1.warm.forebay.dev/5d0c81f2a6…: search_ko-bert_2026-11-20}.
 *
 * <p>Selectors use the key. Names of versions can be longer than a label allows, and shortened
 * names could collide. The key is therefore a digest: the first 96 bits of the SHA-256 of {@code
 * namespace/name@version}. Its prefix names the region. Labels without the prefix are never
 * changed, so agents of other regions do not interfere. The value is for people.
 */
public record WarmLabels(RegionName region) {

    private static final String DOMAIN = ".warm.forebay.dev/";
    private static final int DIGITS = 24;

    /** Kubernetes' limit for a label's value. */
    private static final int LONGEST = 63;

    /** Returns the prefix of the keys of all labels of the region. */
    public String prefix() {
        return region + DOMAIN;
    }

    /** Returns the key of the label of nodes that hold a version. */
    public String key(DatasetVersion version) {
        byte[] name = version.toString().getBytes(StandardCharsets.UTF_8);
        return prefix() + Digest.of(name).hex().substring(0, DIGITS);
    }

    /** Returns the labels of a node that holds these versions. */
    public Map<String, String> of(Collection<DatasetVersion> versions) {
        return versions.stream()
                .distinct()
                .collect(Collectors.toUnmodifiableMap(this::key, WarmLabels::value));
    }

    /** Returns a version's name, as far as it fits. A value must end with a letter or a digit. */
    private static String value(DatasetVersion version) {
        String name = version.toString().replace('/', '_').replace('@', '_');
        return name.substring(0, Math.min(name.length(), LONGEST))
                .replaceFirst("[^A-Za-z0-9]+$", "");
    }
}
