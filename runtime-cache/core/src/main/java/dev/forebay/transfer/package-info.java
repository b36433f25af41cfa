/** The HTTP protocol of workers and its clients: typed calls, verified bytes and fail-over. */
@NullMarked
package dev.forebay.transfer;

import org.jspecify.annotations.NullMarked;
