package dev.forebay.control.ledger;

import dev.forebay.control.catalogue.reports.LedgerCatalogue;
import dev.forebay.control.catalogue.reports.LedgerCatalogue.By;
import dev.forebay.control.catalogue.reports.LedgerCatalogue.Choice;
import dev.forebay.control.catalogue.reports.LedgerCatalogue.Sum;
import dev.forebay.control.prices.PriceTable;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The sums of the ledger at the current prices. Thread-safe. */
@Singleton
public class Costs {

    private final LedgerCatalogue ledger;
    private final PriceTable prices;

    Costs(LedgerCatalogue ledger, PriceTable prices) {
        this.ledger = ledger;
        this.prices = prices;
    }

    /** Returns the current prices. */
    public PriceTable prices() {
        return prices;
    }

    /**
     * Returns up to {@code limit} groups, ordered by key.
     *
     * @param after the key of the last group of the page before; null for the first page
     */
    public List<CostLine> lines(Choice choice, By by, @Nullable String after, int limit) {
        Map<String, CostLine> lines = new LinkedHashMap<>();
        for (Sum sum : ledger.sums(choice, by, after, limit)) {
            lines.merge(sum.key(), priced(sum), CostLine::plus);
        }
        return List.copyOf(lines.values());
    }

    /** Returns the cost of the whole selection. */
    public CostLine total(Choice choice) {
        return ledger.totals(choice).stream()
                .map(this::priced)
                .reduce(CostLine.nothing(""), CostLine::plus);
    }

    private CostLine priced(Sum sum) {
        return CostLine.of(sum, prices.of(sum.region()));
    }
}
