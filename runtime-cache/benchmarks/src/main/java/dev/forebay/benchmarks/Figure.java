package dev.forebay.benchmarks;

/** What of a row counts for a goal. */
enum Figure {
    /** What was measured, in the row's unit. */
    VALUE,
    /** Processor seconds for a gigabyte, of the reader and of all who work for him. */
    CPU
}
