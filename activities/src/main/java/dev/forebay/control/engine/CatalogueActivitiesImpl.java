package dev.forebay.control.engine;

import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.workflows.activity.CatalogueActivities;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;

/** Writes what workflows say of themselves into the catalogue. */
@Singleton
class CatalogueActivitiesImpl implements CatalogueActivities {

    private final VersionCatalogue versions;

    CatalogueActivitiesImpl(VersionCatalogue versions) {
        this.versions = versions;
    }

    @Override
    public void project(VersionStatus status, long revision) {
        versions.replace(status, revision);
    }
}
