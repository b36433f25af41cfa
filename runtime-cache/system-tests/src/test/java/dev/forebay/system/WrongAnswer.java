package dev.forebay.system;

/** A file system that says what is not so: never excused. */
final class WrongAnswer extends RuntimeException {

    private static final long serialVersionUID = 1;

    WrongAnswer(String what) {
        super(what);
    }
}
