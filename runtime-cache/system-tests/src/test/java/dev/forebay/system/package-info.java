/** Tests of docs/semantics.md against the whole system on real servers. */
@NullMarked
package dev.forebay.system;

import org.jspecify.annotations.NullMarked;
