/** The lake: reading originals and keeping manifests. Never deletes or changes an original. */
@NullMarked
package dev.forebay.lake;

import org.jspecify.annotations.NullMarked;
