package dev.forebay.images;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * A pinned Debian package.
 *
 * @param sha256 of its archive, in hexadecimal digits. A version alone would trust the mirror
 */
record DebianPackage(String name, String version, String sha256) {

    static final String ARCHITECTURE = "amd64";

    /** Returns the package URL for a bill of materials. */
    String purl() {
        return "pkg:deb/debian/%s@%s?arch=%s&distro=debian-12"
                .formatted(
                        URLEncoder.encode(name, StandardCharsets.UTF_8),
                        URLEncoder.encode(version, StandardCharsets.UTF_8),
                        ARCHITECTURE);
    }
}
