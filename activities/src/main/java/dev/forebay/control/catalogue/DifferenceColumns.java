package dev.forebay.control.catalogue;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;

/** The columns that count the objects that differ from an earlier version. */
@Embeddable
public record DifferenceColumns(
        @Column(name = "objects_changed") long changed,
        @Column(name = "objects_added") long added,
        @Column(name = "objects_removed") long removed) {}
