package dev.forebay.control;

import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.catalogue.reports.HistoryCatalogue;
import dev.forebay.workflows.activity.CatalogueActivities;
import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.util.List;

/** Writes the status and the events of workflows into the catalogue. */
@Singleton
public class CatalogueActivitiesImpl implements CatalogueActivities {

    private final VersionCatalogue versions;
    private final HistoryCatalogue history;

    CatalogueActivitiesImpl(VersionCatalogue versions, HistoryCatalogue history) {
        this.versions = versions;
        this.history = history;
    }

    @Override
    public void project(VersionStatus status, long revision, List<HistoryEntry> news) {
        versions.replace(status, revision);
        history.enter(status.version(), news);
    }
}
