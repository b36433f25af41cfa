/** What versions cost: figures of the workers, with the prices of the configuration. */
@NullMarked
package dev.forebay.control.ledger;

import org.jspecify.annotations.NullMarked;
