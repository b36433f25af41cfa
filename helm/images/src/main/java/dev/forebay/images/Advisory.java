package dev.forebay.images;

import java.lang.module.ModuleDescriptor.Version;
import java.util.Optional;
import org.cyclonedx.model.Component;

/**
 * A published vulnerability of a library, with a range of affected versions.
 *
 * @param id as published, such as {@code CVE-2026-33871}
 * @param library its package URL without a version
 * @param introduced the first affected version
 * @param fixed the first later version that is not affected, if there is one
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

    /**
     * Returns whether a component of a program is affected, and the advisory concerns the program.
     */
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
     * Returns a version that compares numbers by value. Guava's suffix names the Java version and
     * does not mark a pre-release.
     */
    static Version version(String text) {
        return Version.parse(text.replaceFirst("-(jre|android)$", ""));
    }
}
