package dev.forebay.operator;

import java.util.Optional;

/**
 * What the control plane says of a dataset.
 *
 * @param dataset empty if it was never registered
 * @param tracking empty if it does not follow its source
 * @param version the one that is meant; empty if nobody has asked for it yet, or there is none
 */
record Observed(
        Optional<Answers.Dataset> dataset,
        Optional<Answers.Tracking> tracking,
        Optional<Answers.Version> version) {

    /** Of a dataset that was never registered. */
    static final Observed NOTHING =
            new Observed(Optional.empty(), Optional.empty(), Optional.empty());
}
