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
            summary = "What versions cost, and what they would have cost without the cache",
            description =
                    """
                    What workers have counted, added up by namespace, dataset, version, region, run or day, at the prices of the \
                    configuration. Without the cache means: as if each byte that workers sent to nodes had been read from the lake.""")
    @APIResponse(responseCode = "200", description = "Costs by key, and of all that was asked for")
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
            summary = "What namespaces may cost this month, and have cost",
            description =
                    "While a budget is spent, prewarming that nobody waits for waits; everything else goes on.")
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
            @Schema(description = "Whether anything has a price; else all costs are 0")
                    boolean priced,
            @Schema(description = "The first day, in UTC") LocalDate since,
            @Schema(description = "The day after the last") LocalDate until,
            String by,
            List<CostView> items,
            @Schema(description = "Of all that was asked for, also on other pages") CostView total,
            @Nullable String next) {}

    @Schema(name = "Budget", description = "What a namespace may cost in a month of UTC")
    record BudgetView(
            String namespace,
            @Schema(description = "Its first day") LocalDate month,
            String currency,
            BigDecimal budget,
            BigDecimal spent,
            @Schema(description = "Whether prewarming that nobody waits for waits")
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
