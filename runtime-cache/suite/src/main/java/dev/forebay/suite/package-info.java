/**
 * Runs the tests of all modules from a built tree. Several JVMs take single classes from one queue,
 * the longest first.
 */
@org.jspecify.annotations.NullMarked
package dev.forebay.suite;
