package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.fault.Fault;
import dev.forebay.testing.Api;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Aliases: names that users move from one version to another. */
class AliasIT {

    private static final long LONG = 3600;
    private static final String IN = "{\"region\":\"" + REGION + "\"}";

    private final TestControlPlane platform = TestControlPlane.shared();
    private final Api api = platform.api;

    @AfterEach
    void mend() {
        platform.lake.spoil(request -> Fault.NONE);
    }

    /** Returns a dataset with the frozen versions v1 and v2. */
    private String dataset() {
        String name = platform.dataset(LONG);
        freeze(name, "v1");
        freeze(name, "v2");
        return name;
    }

    private void freeze(String name, String version) {
        Api.Answer frozen = api.post(version(name, version) + "/freeze", "");
        assertThat(frozen.status()).as(frozen.raw().body()).isEqualTo(200);
    }

    private static String aliases(String name) {
        return "/datasets/team/" + name + "/aliases";
    }

    private Api.Answer move(String name, String alias, String version) {
        return api.put(aliases(name) + "/" + alias, "{\"version\":\"" + version + "\"}");
    }

    /** "Aliases". */
    @Test
    void anAliasResolvesToTheVersionItWasLastMovedTo() {
        String name = dataset();
        JsonNode first = move(name, "prod", "v1").body();
        assertThat(first.get("version").asText()).isEqualTo("v1");
        assertThat(first.get("before").isNull()).isTrue();
        String prod = version(name, "prod");
        Api.Answer before =
                api.post(prod + "/ensure?wait_seconds=30", IN, "Idempotency-Key", "before");

        JsonNode moved = move(name, "prod", "latest").body();

        assertThat(moved.get("version").asText()).isEqualTo("v2");
        assertThat(moved.get("before").asText()).isEqualTo("v1");
        assertThat(api.get(prod).text("version")).isEqualTo("v2");
        assertThat(before.text("version")).isEqualTo("v1");
        Api.Answer again =
                api.post(prod + "/ensure?wait_seconds=30", IN, "Idempotency-Key", "before");
        assertThat(again.text("version")).as("the same request").isEqualTo("v1");
        assertThat(api.get(prod + "/requests/before").text("version")).isEqualTo("v1");
        Api.Answer after =
                api.post(prod + "/ensure?wait_seconds=30", IN, "Idempotency-Key", "after");
        assertThat(after.text("version")).isEqualTo("v2");
        assertThat(after.body().at("/receipt/version").asText()).isEqualTo("v2");
        // A move to the present version changes nothing, so {@code before} stays.
        assertThat(move(name, "prod", "v2").body()).isEqualTo(moved);
        assertThat(move(name, "candidate", "prod").text("version")).isEqualTo("v2");
        assertThat(api.get(aliases(name)).body().get("items"))
                .extracting(alias -> alias.get("alias").asText())
                .containsExactly("candidate", "prod");
    }

    @Test
    void aRemovedAliasResolvesToNothing() {
        String name = dataset();
        move(name, "prod", "v1");

        assertThat(api.delete(aliases(name) + "/prod").status()).isEqualTo(204);

        assertThat(api.delete(aliases(name) + "/prod").status()).isEqualTo(204);
        assertThat(api.get(aliases(name)).body().get("items")).isEmpty();
        assertThat(api.get(version(name, "prod")).status()).isEqualTo(404);
        assertThat(api.post(version(name, "prod") + "/ensure", IN).status()).isEqualTo(404);
    }

    @Test
    void aVersionAndAnAliasCannotHaveTheSameName() {
        String name = dataset();
        move(name, "prod", "v1");

        Api.Answer taken = move(name, "v2", "v1");
        Api.Answer frozen = api.post(version(name, "prod") + "/freeze", "");

        assertThat(taken.status()).isEqualTo(409);
        assertThat(taken.text("detail")).contains("has a version named 'v2'");
        assertThat(frozen.status()).isEqualTo(400);
        assertThat(frozen.text("detail"))
                .contains("'prod' must be a new name")
                .contains("an alias of v1");
        assertThat(move(name, "latest", "v1").status()).isEqualTo(400);
        assertThat(move(name, "ab".repeat(32), "v1").status()).isEqualTo(400);
    }

    @Test
    void anAliasRequiresAFrozenVersion() {
        String name = dataset();
        platform.lake.spoil(
                request ->
                        request.target().contains("prefix=" + name)
                                ? new Fault.Status(503)
                                : Fault.NONE);
        api.post(version(name, "v3") + "/freeze?wait_seconds=0", "");

        Api.Answer unfrozen = move(name, "prod", "v3");
        Api.Answer unknown = move(name, "prod", "v22");

        assertThat(unfrozen.status()).isEqualTo(404);
        assertThat(unfrozen.text("detail")).contains("is not frozen yet");
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.text("detail")).contains("similar names are v2");
        assertThat(api.get(aliases(name)).body().get("items")).isEmpty();
    }

    /** A pod at the gate reads below the version's own name. */
    @Test
    void ensureByNameRefusesAnAlias() {
        String name = dataset();
        move(name, "prod", "v1");

        Api.Answer refused =
                api.post(version(name, "prod") + "/ensure?by_name=true&wait_seconds=30", IN);

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.text("detail")).contains("an alias of v1");
        assertThat(
                        api.post(version(name, "v1") + "/ensure?by_name=true&wait_seconds=30", IN)
                                .status())
                .isEqualTo(200);
    }

    @Test
    void ensureRefusesAMistypedAliasWithTheNearestNames() {
        String name = dataset();
        move(name, "prod", "v1");

        assertThat(api.post(version(name, "pord") + "/ensure", IN).text("detail"))
                .contains("similar names are prod");
    }

    @Test
    void anUnknownDatasetHasNoAliases() {
        assertThat(api.get(aliases("unknown")).status()).isEqualTo(404);
        assertThat(move("unknown", "prod", "v1").status()).isEqualTo(404);
        assertThat(api.delete(aliases("unknown") + "/prod").status()).isEqualTo(404);
    }
}
