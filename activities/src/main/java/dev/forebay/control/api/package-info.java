/**
 * The REST API below {@code /api/v1}: validates requests, calls the engine and the catalogue, and
 * writes responses.
 *
 * <p>Lists are paged: a client passes {@code next} of a page as {@code after} for the next one.
 */
@NullMarked
package dev.forebay.control.api;

import org.jspecify.annotations.NullMarked;
