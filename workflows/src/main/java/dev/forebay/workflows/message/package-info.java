/**
 * What callers say to a dataset version and what it answers: the payloads of updates and queries.
 */
@NullMarked
package dev.forebay.workflows.message;

import org.jspecify.annotations.NullMarked;
