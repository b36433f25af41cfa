/**
 * Runs the tests of all modules from a built tree: single classes, the longest first, in several
 * JVMs that take the next class as soon as they are free.
 */
@org.jspecify.annotations.NullMarked
package dev.forebay.suite;
