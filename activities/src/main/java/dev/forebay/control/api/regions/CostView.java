package dev.forebay.control.api.regions;

import dev.forebay.control.ledger.CostLine;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The counts and the cost of one key. */
@Schema(name = "Cost")
record CostView(
        @Schema(description = "The key of this row. Empty for requests without a run_id")
                String key,
        @Schema(description = "Includes failed requests and retries") CountedView lake,
        @Schema(description = "Bytes that workers of a region read from each other")
                CountedView peer,
        @Schema(description = "Bytes that workers read from other regions in a cloud")
                CountedView sibling,
        @Schema(description = "Bytes that workers read from on-premises sites")
                CountedView onPremises,
        @Schema(description = "Bytes that workers sent to nodes") CountedView readers,
        @Schema(description = "Space on the disks of workers, in 10⁹ bytes times hours")
                BigDecimal nvmeGbHours,
        long evictions,
        MoneyView cost) {

    static CostView of(CostLine line) {
        return new CostView(
                line.key(),
                new CountedView(line.lakeRequests(), line.lakeBytes()),
                new CountedView(line.peerRequests(), line.peerBytes()),
                new CountedView(line.siblingRequests(), line.siblingBytes()),
                new CountedView(line.onPremisesRequests(), line.onPremisesBytes()),
                new CountedView(line.readerRequests(), line.readerBytes()),
                MoneyView.rounded(line.nvmeGbHours()),
                line.evictions(),
                MoneyView.of(line));
    }

    @Schema(name = "Counted", description = "By source")
    record CountedView(long requests, long bytes) {}

    @Schema(name = "Money", description = "In the currency of the answer, rounded to millionths")
    record MoneyView(
            @Schema(description = "Bytes from the lake") BigDecimal lake,
            @Schema(description = "Bytes from other regions, on premises or not")
                    BigDecimal siblings,
            @Schema(description = "Requests to the lake") BigDecimal requests,
            @Schema(description = "Disks of workers") BigDecimal nvme,
            @Schema(description = "The sum of these costs") BigDecimal total,
            @Schema(
                            description =
                                    "The cost if every byte that workers sent to nodes had been "
                                            + "read from the lake, with the same number of "
                                            + "requests")
                    BigDecimal withoutCache,
            @Schema(description = "without_cache - total") BigDecimal saved) {

        private static final int DIGITS = 6;

        static MoneyView of(CostLine line) {
            return new MoneyView(
                    rounded(line.lake()),
                    rounded(line.siblings()),
                    rounded(line.requests()),
                    rounded(line.nvme()),
                    rounded(line.spent()),
                    rounded(line.withoutCache()),
                    rounded(line.saved()));
        }

        static BigDecimal rounded(BigDecimal amount) {
            return amount.setScale(DIGITS, RoundingMode.HALF_UP);
        }
    }
}
