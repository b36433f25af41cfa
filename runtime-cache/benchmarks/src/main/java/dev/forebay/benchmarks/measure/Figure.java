package dev.forebay.benchmarks.measure;

/** The figure of a row that a goal is about. */
public enum Figure {
    /** The measured value, in the row's unit. */
    VALUE,
    /** Processor seconds for a gigabyte, of the reader and of all processes that serve it. */
    CPU
}
