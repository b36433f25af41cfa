/**
 * Manifests: immutable, content-addressed SQLite files that list a version's objects and their
 * places in packs.
 */
@NullMarked
package dev.forebay.manifest;

import org.jspecify.annotations.NullMarked;
