package dev.forebay.control.api.regions;

import dev.forebay.control.api.regions.CostViews.BudgetPage;
import dev.forebay.control.api.regions.CostViews.BudgetView;
import dev.forebay.control.api.regions.CostViews.CostPage;
import dev.forebay.control.api.regions.CostViews.CostView;
import dev.forebay.control.catalogue.reports.LedgerCatalogue.By;
import dev.forebay.control.catalogue.reports.LedgerCatalogue.Choice;
import dev.forebay.control.ledger.Budgets;
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
import java.util.List;
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

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
}
