/**
 * The messages between clients and the workflow of a dataset version: payloads of updates, queries
 * and signals, and inputs of workflows.
 */
@NullMarked
package dev.forebay.workflows.message;

import org.jspecify.annotations.NullMarked;
