package dev.forebay.operator;

import java.util.Optional;

/**
 * The control plane's state of a dataset.
 *
 * @param dataset empty if it was never registered
 * @param tracking empty if it does not follow its source
 * @param version the declared version; empty if it was not requested yet, or does not exist
 */
record Observed(
        Optional<Answers.Dataset> dataset,
        Optional<Answers.Tracking> tracking,
        Optional<Answers.Version> version) {

    /** The state of a dataset that was never registered. */
    static final Observed NOTHING =
            new Observed(Optional.empty(), Optional.empty(), Optional.empty());
}
