/** Writes manifests from listings, with the packs of the version before. */
@NullMarked
package dev.forebay.manifest.write;

import org.jspecify.annotations.NullMarked;
