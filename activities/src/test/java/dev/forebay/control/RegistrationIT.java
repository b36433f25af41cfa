package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.Fault;
import dev.forebay.testing.Api;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** "Checks at registration". */
class RegistrationIT {

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @AfterEach
    void mend() {
        platform.lake.spoil(request -> Fault.NONE);
    }

    private Api.Answer register(String name, String source, String more) {
        return api.post(
                "/datasets",
                "{\"namespace\":\"team\",\"name\":\"%s\",\"source\":\"%s\"%s}"
                        .formatted(name, source, more));
    }

    private Api.Answer register(String name) {
        return register(name, "s3://lake/%s/".formatted(name), "");
    }

    /** Injects a fault into the requests for one dataset's prefix. */
    private void spoil(String name, Fault fault) {
        platform.lake.spoil(
                request -> request.target().contains("prefix=" + name) ? fault : Fault.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "403, 502, LAKE_DENIED, forebay.lake.requester-pays-buckets",
        "301, 422, LAKE_UNSUPPORTED, forebay.lake.region"
    })
    void registrationFailsIfTheLakeRefusesTheSourcePermanently(
            int answer, int status, String code, String setting) {
        String name = platform.newName();
        spoil(name, new Fault.Status(answer));

        Api.Answer refused = register(name);

        assertThat(refused.status()).as(refused.raw().body()).isEqualTo(status);
        assertThat(refused.text("code")).isEqualTo(code);
        assertThat(refused.text("detail")).contains("s3://lake/" + name + "/", setting);
        assertThat(api.get("/datasets/team/" + name).status()).isEqualTo(404);
        mend();
        assertThat(register(name).status()).isEqualTo(201);
    }

    @Test
    void aDirectoryBucketIsRefused() {
        Api.Answer refused = register(platform.newName(), "s3://mine--use1-az4--x-s3/a/", "");
        assertThat(refused.status()).as(refused.raw().body()).isEqualTo(422);
        assertThat(refused.text("detail")).contains("S3 Express");
    }

    @ParameterizedTest
    @CsvSource({
        "s3://forebay/, s3://lake/list",
        "s3://forebay/manifests/, ",
        "s3://lake/a/, s3://forebay/list"
    })
    void aBucketThatForebayWritesToIsRefused(String source, String keys) {
        Api.Answer refused =
                register(
                        platform.newName(),
                        source,
                        keys == null ? "" : ",\"keys\":\"%s\"".formatted(keys));
        assertThat(refused.status()).as(refused.raw().body()).isEqualTo(400);
        assertThat(refused.text("code")).isEqualTo("INVALID_ARGUMENT");
        assertThat(refused.text("detail"))
                .startsWith(source.contains("forebay") ? "source '" : "keys '")
                .contains("forebay.manifest-bucket");
    }

    /** The first object, or the bucket, may be created later. */
    @ParameterizedTest
    @CsvSource({
        "s3://lake/nothing-is-here-yet/, the source has no object yet: compare with 'aws s3 ls",
        "s3://no-such-bucket/a/, no such bucket"
    })
    void registrationAcceptsAMissingSourceWithANote(String source, String note) {
        Api.Answer registered = register(platform.newName(), source, "");
        assertThat(registered.status()).isEqualTo(201);
        assertThat(registered.text("note")).contains(note);
    }

    @Test
    void registrationSucceedsWhileTheLakeIsUnavailable() {
        String name = platform.newName();
        spoil(name, new Fault.Status(503));
        Api.Answer registered = register(name);
        assertThat(registered.status()).isEqualTo(201);
        assertThat(registered.text("note")).matches("LAKE_UNAVAILABLE.*|Forebay did not check .*");
        mend();
        assertThat(register(name).body().get("note").isNull()).isTrue();
    }

    @Test
    void aRegisteredSourceIsNotCheckedAgain() {
        String name = platform.newName();
        assertThat(register(name).status()).isEqualTo(201);
        spoil(name, new Fault.Status(403));
        assertThat(register(name).status()).isEqualTo(200);
    }

    /** "Archived objects". */
    @Test
    void planAndEnsureRefuseArchivedObjects() {
        String name = platform.newName();
        for (String key : new String[] {"a", "b", "c"}) {
            platform.put(name + "/" + key, key);
        }
        assertThat(register(name).status()).isEqualTo(201);
        // Keeps the length of the page, with a blank after the name of an element.
        UnaryOperator<String> archive =
                page ->
                        page.replaceAll(
                                "(<Key>[^<]*/[bc]</Key>.*?)<StorageClass>STANDARD</StorageClass>",
                                "$1<StorageClass>GLACIER</StorageClass >");
        spoil(name, new Fault.Rewrite(archive));

        Api.Answer plan = api.post(version(name, "v1") + "/plan", "{}");
        Api.Answer ensured =
                api.post(
                        version(name, "v1") + "/ensure?wait_seconds=30",
                        "{\"region\":\"" + REGION + "\"}");

        for (Api.Answer refused : new Api.Answer[] {plan, ensured}) {
            assertThat(refused.status()).as(refused.raw().body()).isEqualTo(502);
            assertThat(refused.text("code")).isEqualTo("LAKE_DENIED");
            assertThat(refused.text("detail"))
                    .contains("2 archived", "s3://lake/" + name + "/b (GLACIER)", "Restore");
        }
    }
}
