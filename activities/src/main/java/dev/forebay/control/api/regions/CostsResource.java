package dev.forebay.control.api.regions;

import dev.forebay.control.catalogue.reports.LedgerCatalogue.By;
import dev.forebay.control.catalogue.reports.LedgerCatalogue.Choice;
import dev.forebay.control.ledger.Budgets;
import dev.forebay.control.ledger.Budgets.Budget;
import dev.forebay.control.ledger.CostLine;
import dev.forebay.control.ledger.Costs;
import dev.forebay.control.regions.Regions;
import dev.forebay.service.Role;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The REST resource of costs and budgets. */
@Path("/api/v1")
@Tag(name = "Costs")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class CostsResource {

    private final Costs costs;
    private final Budgets budgets;
    private final Regions regions;

    CostsResource(Costs costs, Budgets budgets, Regions regions) {
        this.costs = costs;
        this.budgets = budgets;
        this.regions = regions;
    }

    @GET
    @Path("/costs")
    @Operation(
            summary = "Show the cost of versions, and their cost without the cache",
            description =
                    """
                    Sums the counters of workers by namespace, dataset, version, region, run or day, at the prices of the \
                    configuration. The cost without the cache assumes that every byte that workers sent to nodes was read from the lake.""")
    @APIResponse(responseCode = "200", description = "The cost for each key, and the total")
    public CostPage costs(@BeanParam @Valid CostQuery query) {
        Choice choice = query.choice();
        if (choice.region() != null) {
            regions.require(choice.region());
        }
        int size = Integer.parseInt(query.limit());
        List<CostLine> lines =
                costs.lines(
                        choice,
                        By.valueOf(query.by().toUpperCase(Locale.ROOT)),
                        query.after(),
                        size);
        return new CostPage(
                costs.prices().currency(),
                costs.prices().isStated(),
                choice.since(),
                choice.until(),
                query.by(),
                lines.stream().map(CostView::of).toList(),
                CostView.of(costs.total(choice)),
                lines.size() < size ? null : lines.getLast().key());
    }

    @GET
    @Path("/budgets")
    @Operation(
            summary = "Show the budgets of namespaces and their use this month",
            description =
                    "When a budget is spent, speculative fills wait. Everything else continues.")
    @APIResponse(responseCode = "200", description = "Budgets by namespace")
    public BudgetPage budgets() {
        return new BudgetPage(
                budgets.all().stream()
                        .map(budget -> BudgetView.of(budget, costs.prices().currency()))
                        .toList(),
                null);
    }

    @Schema(name = "CostPage")
    record CostPage(
            String currency,
            @Schema(description = "Whether prices are configured. Without prices all costs are 0")
                    boolean priced,
            @Schema(description = "The first day, in UTC") LocalDate since,
            @Schema(description = "The day after the last one") LocalDate until,
            String by,
            List<CostView> items,
            @Schema(description = "The sum over all pages") CostView total,
            @Nullable String next) {}

    @Schema(name = "Budget", description = "The budget of a namespace for a month, in UTC")
    record BudgetView(
            String namespace,
            @Schema(description = "The first day of the month") LocalDate month,
            String currency,
            BigDecimal budget,
            BigDecimal spent,
            @Schema(description = "Whether speculative fills wait because the budget is spent")
                    boolean paused) {

        static BudgetView of(Budget budget, String currency) {
            return new BudgetView(
                    budget.namespace(),
                    budget.month(),
                    currency,
                    CostView.MoneyView.rounded(budget.budget()),
                    CostView.MoneyView.rounded(budget.spent()),
                    budget.isSpent());
        }
    }

    @Schema(name = "BudgetPage")
    record BudgetPage(List<BudgetView> items, @Nullable String next) {}
}
