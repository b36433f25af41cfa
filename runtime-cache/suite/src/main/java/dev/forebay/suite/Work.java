package dev.forebay.suite;

/** Something that a slot runs to its end before it takes the next. */
sealed interface Work permits TestClass, Job {
    /** The name under which its time is kept. */
    String key();
}
