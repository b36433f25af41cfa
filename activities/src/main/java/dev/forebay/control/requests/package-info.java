/**
 * Requests of clients for versions: their intake, their way to the workflows, and their answers.
 */
@NullMarked
package dev.forebay.control.requests;

import org.jspecify.annotations.NullMarked;
