/** The part of the suite that runs inside a test JVM. It needs only the JUnit Platform. */
@org.jspecify.annotations.NullMarked
package dev.forebay.suite.fork;
