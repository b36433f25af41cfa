package dev.forebay.control.ledger;

import dev.forebay.control.catalogue.reports.LedgerCatalogue.Choice;
import dev.forebay.control.prices.PriceTable;
import dev.forebay.model.DatasetName;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The monthly budgets (UTC) of namespaces. When a budget is spent, speculative prewarming waits for
 * the next month. Thread-safe.
 */
@Singleton
public class Budgets {

    private static final int DIGITS = 2;

    private final Costs costs;
    private final Map<String, BigDecimal> budgets;

    Budgets(Costs costs, LedgerConfig config) {
        this.costs = costs;
        this.budgets = new TreeMap<>(config.budgets());
    }

    /**
     * The budget of a namespace and what it has spent of it.
     *
     * @param month the first day of the month
     */
    public record Budget(String namespace, LocalDate month, BigDecimal budget, BigDecimal spent) {

        /** Returns whether speculative prewarming has to wait. */
        public boolean isSpent() {
            return spent.compareTo(budget) >= 0;
        }
    }

    /**
     * Checks the settings.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT}, naming the setting and its rule
     */
    public void check() {
        budgets.forEach(
                (namespace, budget) -> {
                    try {
                        new DatasetName(namespace, "any");
                    } catch (ForebayException e) {
                        throw invalid(
                                namespace, budget, "must name a namespace: " + e.getMessage());
                    }
                    if (budget.signum() < 0) {
                        throw invalid(namespace, budget, "must be at least 0");
                    }
                });
        PriceTable prices = costs.prices();
        if (!prices.isStated()) {
            budgets.entrySet().stream()
                    .findFirst()
                    .ifPresent(
                            first -> {
                                throw invalid(
                                        first.getKey(),
                                        first.getValue(),
                                        "needs prices: configure forebay.prices");
                            });
        }
    }

    private static ForebayException invalid(String namespace, BigDecimal budget, String rule) {
        return new ForebayException(
                ErrorCode.INVALID_ARGUMENT,
                "forebay.ledger.budgets.%s '%s' %s"
                        .formatted(namespace, budget.toPlainString(), rule));
    }

    /** Returns the budgets of all namespaces that have one, ordered by name. */
    public List<Budget> all() {
        return budgets.keySet().stream().flatMap(name -> of(name).stream()).toList();
    }

    /** Returns the budget of a namespace; empty if it has none. */
    public Optional<Budget> of(String namespace) {
        BigDecimal budget = budgets.get(namespace);
        if (budget == null) {
            return Optional.empty();
        }
        LocalDate month = LocalDate.ofInstant(Instant.now(), ZoneOffset.UTC).withDayOfMonth(1);
        Choice choice = new Choice(month, month.plusMonths(1), namespace, null, null, null, null);
        return Optional.of(new Budget(namespace, month, budget, costs.total(choice).spent()));
    }

    /**
     * Allows speculative prewarming in a namespace, or throws.
     *
     * @throws ForebayException {@code BUDGET_SPENT} if it has to wait
     */
    public void require(String namespace) {
        of(namespace)
                .filter(Budget::isSpent)
                .ifPresent(
                        budget -> {
                            throw new ForebayException(
                                    ErrorCode.BUDGET_SPENT,
                                    "namespace %s has spent %s of its budget of %s %s for %tY-%<tm: speculative fills wait until next month, or until forebay.ledger.budgets.%s is raised"
                                            .formatted(
                                                    namespace,
                                                    budget.spent()
                                                            .setScale(DIGITS, RoundingMode.HALF_UP)
                                                            .toPlainString(),
                                                    budget.budget().toPlainString(),
                                                    costs.prices().currency(),
                                                    budget.month(),
                                                    namespace));
                        });
    }
}
