package dev.forebay.control.engine;

import dev.forebay.control.catalogue.ChronicleCatalogue;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.workflows.activity.CatalogueActivities;
import dev.forebay.workflows.message.Happening;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the status and the events of workflows into the catalogue. */
@Singleton
class CatalogueActivitiesImpl implements CatalogueActivities {

    private final VersionCatalogue versions;
    private final ChronicleCatalogue chronicle;

    CatalogueActivitiesImpl(VersionCatalogue versions, ChronicleCatalogue chronicle) {
        this.versions = versions;
        this.chronicle = chronicle;
    }

    @Override
    public void project(VersionStatus status, long revision, @Nullable List<Happening> news) {
        versions.replace(status, revision);
        if (news != null) {
            chronicle.enter(status.version(), news);
        }
    }
}
