package dev.forebay.transfer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a worker's accounts.
 *
 * @param next the {@code after} value for the following page; absent on the last
 */
public record AccountPage(List<AccountStatement> accounts, @Nullable Integer next) {}
