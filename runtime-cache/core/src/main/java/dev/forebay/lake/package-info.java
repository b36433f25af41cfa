/**
 * The object store: reads originals and keeps manifests. Forebay never deletes or changes an
 * original.
 */
@NullMarked
package dev.forebay.lake;

import org.jspecify.annotations.NullMarked;
