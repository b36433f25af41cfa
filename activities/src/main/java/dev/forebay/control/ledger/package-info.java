/** The ledger: what versions cost, from the accounts of the workers and the configured prices. */
@NullMarked
package dev.forebay.control.ledger;

import org.jspecify.annotations.NullMarked;
