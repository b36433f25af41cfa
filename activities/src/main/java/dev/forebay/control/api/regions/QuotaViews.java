package dev.forebay.control.api.regions;

import dev.forebay.control.catalogue.QuotaCatalogue;
import dev.forebay.model.RegionName;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The response bodies about quotas. */
final class QuotaViews {

    private QuotaViews() {}

    @Schema(name = "QuotaView", description = "How much room a namespace may have in a region")
    record QuotaView(
            @Schema(description = "Null: in every region that has none of its own")
                    @Nullable String region,
            long bytes) {

        static QuotaView of(QuotaCatalogue.Quota quota) {
            RegionName region = quota.region();
            return new QuotaView(region == null ? null : region.value(), quota.bytes());
        }
    }

    @Schema(name = "QuotaPage")
    record QuotaPage(List<QuotaView> items, @Nullable String next) {}
}
