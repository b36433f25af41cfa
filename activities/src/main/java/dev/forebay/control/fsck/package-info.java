/** Compares the stores with each other, and repairs what differs. */
@NullMarked
package dev.forebay.control.fsck;

import org.jspecify.annotations.NullMarked;
