/** What the copies of versions on this worker have cost, over restarts. */
@NullMarked
package dev.forebay.worker.accounts;

import org.jspecify.annotations.NullMarked;
