package dev.forebay.suite;

/** A class or job that a slot runs to its end before it takes the next one. */
sealed interface Work permits TestClass, Job {
    /** Returns the name under which times are kept. */
    String key();
}
