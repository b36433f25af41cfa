package dev.forebay.system;

/** A wrong answer of a file system, which no event excuses. */
final class WrongAnswer extends RuntimeException {

    private static final long serialVersionUID = 1;

    WrongAnswer(String what) {
        super(what);
    }
}
