/** The workers' HTTP protocol and its client side: typed calls, verified bytes, fail-over. */
@NullMarked
package dev.forebay.transfer;

import org.jspecify.annotations.NullMarked;
