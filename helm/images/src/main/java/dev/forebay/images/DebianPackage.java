package dev.forebay.images;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * A package of Debian, pinned.
 *
 * @param sha256 of its archive, in hexadecimal digits: versions alone are what a mirror says
 */
record DebianPackage(String name, String version, String sha256) {

    static final String ARCHITECTURE = "amd64";

    /** How a package is called in a bill of materials. */
    String purl() {
        return "pkg:deb/debian/%s@%s?arch=%s&distro=debian-12"
                .formatted(
                        URLEncoder.encode(name, StandardCharsets.UTF_8),
                        URLEncoder.encode(version, StandardCharsets.UTF_8),
                        ARCHITECTURE);
    }
}
