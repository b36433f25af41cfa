/**
 * What the copies of versions on this worker have cost, over restarts. {@link VersionAccounts} is
 * what others see of it, and its lock guards the rest.
 */
@NullMarked
package dev.forebay.worker.accounts;

import org.jspecify.annotations.NullMarked;
