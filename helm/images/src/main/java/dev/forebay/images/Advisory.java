package dev.forebay.images;

import java.lang.module.ModuleDescriptor.Version;
import java.util.Optional;
import org.cyclonedx.model.Component;

/**
 * A published weakness of a library, and a range of versions that have it.
 *
 * @param id as published, such as {@code CVE-2026-33871}
 * @param library its package URL without a version
 * @param introduced the first version that has it
 * @param fixed the first later version that does not have it, if there is one
 * @param summary what an attacker can do
 * @param accepted the program that it does not concern, if there is one
 */
record Advisory(
        String id,
        String library,
        Version introduced,
        Optional<Version> fixed,
        String summary,
        Optional<String> accepted) {

    /** Returns whether a component of a program has the weakness, and that concerns the program. */
    boolean applies(String program, Component component) {
        if (accepted.filter(program::equals).isPresent()
                || !library.equals(withoutVersion(component.getPurl()))) {
            return false;
        }
        Version version = version(component.getVersion());
        return version.compareTo(introduced) >= 0
                && fixed.stream().allMatch(first -> version.compareTo(first) < 0);
    }

    private static String withoutVersion(String packageUrl) {
        return packageUrl.replaceFirst("@.*", "");
    }

    /**
     * Returns a version that compares numbers by value. Guava's suffix says for which Java it is,
     * not that it precedes a release.
     */
    static Version version(String text) {
        return Version.parse(text.replaceFirst("-(jre|android)$", ""));
    }
}
