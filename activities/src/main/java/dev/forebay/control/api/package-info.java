/** The REST API below {@code /api/v1}: reads requests, asks the others, writes answers. */
@NullMarked
package dev.forebay.control.api;

import org.jspecify.annotations.NullMarked;
