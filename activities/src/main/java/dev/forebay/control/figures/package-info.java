/** Metrics about the regions, from the catalogue, the ledger and etcd. */
@NullMarked
package dev.forebay.control.figures;

import org.jspecify.annotations.NullMarked;
