package dev.forebay.control.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import dev.forebay.service.gateway.FillSpeed;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.gateway.RegionSurvey.Relatives;
import dev.forebay.service.gateway.RegionSurvey.Resident;
import dev.forebay.service.gateway.RegionSurvey.Share;
import dev.forebay.service.space.SharedBytes;
import dev.forebay.service.space.UsedSpace;
import java.util.List;
import org.junit.jupiter.api.Test;

class SurveySharesTest {

    private static final DatasetVersion OURS = DatasetVersion.parse("ours/a@v1");
    private static final DatasetVersion THEIRS = DatasetVersion.parse("theirs/b@v1");
    private static final DatasetVersion ALONE = DatasetVersion.parse("theirs/c@v1");

    private static final RegionSurvey SURVEY =
            new RegionSurvey(
                    100,
                    100L,
                    60,
                    40L,
                    10L,
                    10L,
                    null,
                    new FillSpeed(null, null),
                    List.of(
                            new Resident(OURS.toString(), 40, 1, 40, "CACHED", 0),
                            new Resident(THEIRS.toString(), 30, 1, 30, "CACHED", 0),
                            new Resident(ALONE.toString(), 20, 1, 20, "CACHED", 0)),
                    List.of(),
                    List.of(
                            new Relatives(
                                    List.of(OURS.toString(), THEIRS.toString()),
                                    List.of(
                                            new Share(30, List.of(0, 1)),
                                            new Share(10, List.of(0))))));

    @Test
    void sharedBytesReturnToTheRegionWithTheLastOwner() {
        SharedBytes shares = new SharedBytes(SurveyShares.of(SURVEY));

        assertThat(shares.remove(ALONE)).isEqualTo(20);
        assertThat(shares.remove(OURS)).isEqualTo(10);
        assertThat(shares.remove(OURS)).as("again").isZero();
        assertThat(shares.remove(THEIRS)).isEqualTo(30);
    }

    @Test
    void bytesSharedWithOtherNamespacesReturnToTheQuota() {
        SharedBytes ours = ofQuota("ours");
        SharedBytes theirs = ofQuota("theirs");

        assertThat(ours.remove(OURS)).isEqualTo(40);
        assertThat(ours.remove(ALONE)).isZero();
        assertThat(theirs.remove(THEIRS)).isEqualTo(30);
        assertThat(theirs.remove(ALONE)).isEqualTo(20);
        assertThat(theirs.remove(OURS)).isZero();
    }

    private static SharedBytes ofQuota(String namespace) {
        return new SharedBytes(
                new UsedSpace(List.of(), SurveyShares.of(SURVEY)).of(namespace).shares());
    }
}
