package dev.forebay.operator;

import java.util.Optional;

/**
 * The control plane's state of a dataset.
 *
 * @param dataset empty if it was never registered
 * @param tracking empty if it does not follow its source
 * @param version the declared version; empty if it was not requested yet, or does not exist
 */
record ObservedDataset(
        Optional<DatasetAnswers.Dataset> dataset,
        Optional<DatasetAnswers.Tracking> tracking,
        Optional<DatasetAnswers.Version> version) {

    /** The state of a dataset that was never registered. */
    static final ObservedDataset NOTHING =
            new ObservedDataset(Optional.empty(), Optional.empty(), Optional.empty());
}
