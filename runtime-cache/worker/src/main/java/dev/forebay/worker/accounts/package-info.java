/**
 * The cost of the copies of versions on this worker, across restarts. {@link VersionAccounts} is
 * the entry point, and its lock guards the rest.
 */
@NullMarked
package dev.forebay.worker.accounts;

import org.jspecify.annotations.NullMarked;
