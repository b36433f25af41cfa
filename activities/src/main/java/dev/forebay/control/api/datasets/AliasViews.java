package dev.forebay.control.api.datasets;

import dev.forebay.control.catalogue.AliasCatalogue.Alias;
import dev.forebay.model.DatasetVersion;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The response bodies about aliases. */
final class AliasViews {

    private AliasViews() {}

    @Schema(name = "Alias")
    record AliasView(
            String alias,
            String version,
            @Schema(description = "What it meant before it was moved last; null if it was not")
                    @Nullable String before,
            Instant movedAt) {

        static AliasView of(Alias alias) {
            DatasetVersion before = alias.before();
            return new AliasView(
                    alias.name(),
                    alias.version().version(),
                    before == null ? null : before.version(),
                    alias.movedAt());
        }
    }

    @Schema(name = "AliasPage")
    record AliasPage(List<AliasView> items, @Nullable String next) {}
}
