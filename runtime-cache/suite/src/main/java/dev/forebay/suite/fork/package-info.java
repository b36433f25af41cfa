/** The part of the suite that runs inside a test JVM: it needs the JUnit Platform only. */
@org.jspecify.annotations.NullMarked
package dev.forebay.suite.fork;
