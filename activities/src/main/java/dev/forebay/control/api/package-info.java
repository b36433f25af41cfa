/**
 * The REST API below {@code /api/v1}: reads requests, asks the others, writes answers.
 *
 * <p>Lists come in pages; what a page has as {@code next} is given as {@code after} for the one
 * that follows.
 */
@NullMarked
package dev.forebay.control.api;

import org.jspecify.annotations.NullMarked;
