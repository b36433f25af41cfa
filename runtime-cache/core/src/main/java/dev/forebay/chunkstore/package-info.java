/**
 * The chunk store: keeps chunks on local disks, crash-safe, with checksums and within a bounded
 * size. Finds them again after a restart. Has no access to the lake.
 */
@NullMarked
package dev.forebay.chunkstore;

import org.jspecify.annotations.NullMarked;
