package dev.forebay.control.ledger;

import dev.forebay.control.catalogue.LedgerCatalogue;
import dev.forebay.control.catalogue.LedgerCatalogue.By;
import dev.forebay.control.catalogue.LedgerCatalogue.Choice;
import dev.forebay.control.catalogue.LedgerCatalogue.Sum;
import dev.forebay.control.prices.PriceTable;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was noted, at the prices of today. Safe for use by many threads. */
@Singleton
public class Costs {

    private final LedgerCatalogue ledger;
    private final PriceTable prices;

    Costs(LedgerCatalogue ledger, PriceTable prices) {
        this.ledger = ledger;
        this.prices = prices;
    }

    /** The prices. */
    public PriceTable prices() {
        return prices;
    }

    /** Up to {@code limit} groups by key, after the one of key {@code after}, if there is one. */
    public List<CostLine> lines(Choice choice, By by, @Nullable String after, int limit) {
        Map<String, CostLine> lines = new LinkedHashMap<>();
        for (Sum sum : ledger.sums(choice, by, after, limit)) {
            lines.merge(sum.key(), priced(sum), CostLine::plus);
        }
        return List.copyOf(lines.values());
    }

    /** All that is chosen. */
    public CostLine total(Choice choice) {
        return ledger.totals(choice).stream()
                .map(this::priced)
                .reduce(CostLine.nothing(""), CostLine::plus);
    }

    private CostLine priced(Sum sum) {
        return CostLine.of(sum, prices.of(sum.region()));
    }
}
