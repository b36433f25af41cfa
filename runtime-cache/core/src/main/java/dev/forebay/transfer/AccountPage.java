package dev.forebay.transfer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a worker's accounts.
 *
 * @param next what to ask for the following page with; absent on the last
 */
public record AccountPage(List<AccountStatement> accounts, @Nullable Integer next) {}
