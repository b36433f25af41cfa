package dev.forebay.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.JsonNode;
import dev.forebay.devstack.fault.Http2Probe;
import dev.forebay.testing.Api;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Sends a bad value in every field of every request. The answer must be a problem that names the
 * field.
 */
class ApiValidationIT {

    private static final String V = "/datasets/team/known/versions/v1";
    private static final String LONG = "x".repeat(201);

    private static Api api = TestControlPlane.shared().api;

    @BeforeAll
    static void register() {
        api.post(
                "/datasets",
                "{\"namespace\":\"team\",\"name\":\"known\",\"source\":\"s3://lake/known/\"}");
    }

    static Stream<Arguments> bodies() {
        return Stream.of(
                        newDatasets(),
                        ensures(),
                        plans(),
                        quotas(),
                        pins(),
                        inRegion("/pins/p/renew"),
                        inRegion("/resume"),
                        evictions(),
                        ttls(),
                        pauses())
                .flatMap(List::stream);
    }

    private static List<Arguments> newDatasets() {
        return List.of(
                post("/datasets", "{}", "name", "is missing"),
                post(
                        "/datasets",
                        dataset("Team", "n", "s3://lake/a/"),
                        "namespace",
                        "must be 1 to 63"),
                post("/datasets", dataset("", "n", "s3://lake/a/"), "namespace", "must be 1 to 63"),
                post(
                        "/datasets",
                        dataset("a".repeat(64), "n", "s3://lake/a/"),
                        "namespace",
                        "must be 1 to 63"),
                post("/datasets", dataset("team", "-n", "s3://lake/a/"), "name", "must be 1 to 63"),
                post(
                        "/datasets",
                        dataset("team", "a/b", "s3://lake/a/"),
                        "name",
                        "must be 1 to 63"),
                post("/datasets", dataset("team", "n", "lake/a/"), "source", "must be s3://"),
                post("/datasets", dataset("team", "n", "s3://lake/a"), "source", "must be s3://"),
                post("/datasets", dataset("team", "n", "s3://LAKE/a/"), "source", "must be s3://"),
                post(
                        "/datasets",
                        dataset("team", "n", "s3://lake/\\ud800/"),
                        "source",
                        "must be s3://"),
                post("/datasets", choosing("\"include\":[\"/a\"]"), "include", "relative to"),
                post("/datasets", choosing("\"include\":[\"a**\"]"), "include", "of its own"),
                post("/datasets", choosing("\"include\":[null]"), "include", "is missing"),
                post("/datasets", choosing("\"include\":\"a\""), "include", "a list"),
                post("/datasets", choosing("\"exclude\":[\"\"]"), "exclude", "1 to 1024"),
                post("/datasets", choosing("\"exclude\":[\"{a,b}\"]"), "exclude", "no bracket"),
                post("/datasets", choosing("\"exclude\":[\"a\\u0000\"]"), "exclude", "control"),
                post(
                        "/datasets",
                        choosing("\"exclude\":[" + "\"a\",".repeat(64) + "\"b\"]"),
                        "exclude",
                        "at most 64"),
                post("/datasets", choosing("\"keys\":\"s3://lake/a/\""), "keys", "of an object"),
                post("/datasets", choosing("\"keys\":\"lists/a.txt\""), "keys", "of an object"),
                post("/datasets", withTtl("0"), "ttl_seconds", "from 1 to 315360000"),
                post("/datasets", withTtl("315360001"), "ttl_seconds", "from 1 to 315360000"),
                post("/datasets", withTtl("\"60\""), "ttl_seconds", "whole number"),
                post("/datasets", withTtl("1.5"), "ttl_seconds", "whole number"),
                post("/datasets", withTtl("true"), "ttl_seconds", "whole number"),
                post("/datasets", withTtl("99999999999999999999"), "ttl_seconds", "too large"),
                post("/datasets", withTtlAfter("\"write\""), "ttl_after", "pin or read"),
                post("/datasets", withTtlAfter("7"), "ttl_after", "a string"),
                post("/datasets", "{\"namespace\":7}", "namespace", "a string"),
                post("/datasets", "{\"namespace\":[\"a\"]}", "namespace", "a string"),
                post("/datasets", "{\"name_space\":\"a\"}", "name_space", "is not a field"),
                post("/datasets", "[]", "body", "an object"),
                post("/datasets", "null", "body", "is missing"),
                post("/datasets", "{\"namespace\":", "", "is not JSON"),
                post("/datasets", "{} {}", "", "is not JSON"),
                post("/datasets", "{\"name\":\"a\",\"name\":\"b\"}", "", "Duplicate field"));
    }

    private static List<Arguments> quotas() {
        String path = "/namespaces/team/quota";
        return List.of(
                arguments("PUT", path, "{}", "bytes", "is missing"),
                arguments("PUT", path, "{\"bytes\":-1}", "bytes", "whole number from 0"),
                arguments("PUT", path, "{\"bytes\":1.5}", "bytes", "whole number"),
                arguments(
                        "PUT",
                        path,
                        "{\"bytes\":1,\"region\":\"No_Region\"}",
                        "region",
                        "must be 1 to 63"));
    }

    private static List<Arguments> plans() {
        String path = V + "/plan";
        return List.of(
                post(path, "null", "body", "is missing"),
                post(path, "{\"regions\":[]}", "regions", "1 to 64 regions"),
                post(path, "{\"regions\":[\"No_Region\"]}", "regions", "must be 1 to 63"),
                post(path, "{\"regions\":\"test-1\"}", "regions", "a list"),
                post(path, "{\"region\":\"test-1\"}", "region", "is not a field"));
    }

    private static List<Arguments> ensures() {
        String path = V + "/ensure";
        return List.of(
                post(path, "{}", "region", "is missing"),
                post(path, "{\"region\":null}", "region", "is missing"),
                post(path, "{\"region\":\"No_Region\"}", "region", "must be 1 to 63"),
                post(path, "{\"regions\":[]}", "regions", "1 to 64 regions"),
                post(path, "{\"regions\":[\"a\",\"a\"]}", "regions", "each once"),
                post(path, "{\"regions\":[\"No_Region\"]}", "regions", "must be 1 to 63"),
                post(path, "{\"regions\":[null]}", "regions", "must be 1 to 63"),
                post(path, "{\"regions\":\"test-1\"}", "regions", "a list"),
                post(path, ensure("\"regions\":[\"test-1\"]"), "regions", "combined with region"),
                post(path, ensure("\"min_coverage\":1.01"), "min_coverage", "from 0 to 1"),
                post(path, ensure("\"min_coverage\":-0.5"), "min_coverage", "from 0 to 1"),
                post(path, ensure("\"min_coverage\":\"0.5\""), "min_coverage", "a number"),
                post(path, ensure("\"deadline_seconds\":0"), "deadline_seconds", "from 1 to"),
                post(path, ensure("\"deadline_seconds\":604801"), "deadline_seconds", "to 604800"),
                post(path, ensure("\"deadline_seconds\":1.5"), "deadline_seconds", "whole number"),
                post(path, ensure("\"on_deadline\":\"maybe\""), "on_deadline", "fail or run_cold"),
                post(path, ensure("\"on_deadline\":7"), "on_deadline", "a string"),
                post(path, ensure("\"priority\":\"high\""), "priority", "or speculative"),
                post(path, ensure("\"create\":\"yes\""), "create", "true or false"),
                post(path, ensure("\"pin\":7"), "pin", "an object"),
                post(
                        path,
                        ensure(pin("\"holder\":\"me\",\"job\":\"a b\"", "9")),
                        "pin.job",
                        "1 to 64"),
                post(path, ensure("\"pin\":{\"lease_seconds\":9}"), "pin.holder", "is missing"),
                post(path, ensure(pin("\"holder\":\" \"", "9")), "pin.holder", "1 to 200"),
                post(path, ensure(pin("\"holder\":\"a\\u0000b\"", "9")), "pin.holder", "control"),
                post(path, ensure(pin("\"holder\":\"a\\nb\"", "9")), "pin.holder", "control"),
                post(path, ensure(pin("\"holder\":\"a\\ud800\"", "9")), "pin.holder", "surrogate"),
                post(
                        path,
                        ensure(pin("\"holder\":\"me\",\"reason\":\"\\udc00b\"", "9")),
                        "pin.reason",
                        "surrogate"),
                post(
                        path,
                        ensure(pin("\"holder\":\"me\",\"reason\":\"\\u001b[2J\"", "9")),
                        "pin.reason",
                        "control"),
                post(
                        path,
                        ensure(pin("\"holder\":\"" + LONG + "\"", "9")),
                        "pin.holder",
                        "1 to 200"),
                post(
                        path,
                        ensure("\"pin\":{\"holder\":\"me\"}"),
                        "pin.lease_seconds",
                        "is missing"),
                post(
                        path,
                        ensure(pin("\"holder\":\"me\"", "4")),
                        "pin.lease_seconds",
                        "from 5 to 604800"),
                post(
                        path,
                        ensure(pin("\"holder\":\"me\"", "604801")),
                        "pin.lease_seconds",
                        "from 5 to 604800"),
                post(
                        path,
                        ensure(pin("\"holder\":\"me\"", "\"9\"")),
                        "pin.lease_seconds",
                        "whole number"),
                post(
                        path,
                        ensure(pin("\"holder\":\"me\",\"id\":\"a b\"", "9")),
                        "pin.id",
                        "1 to 64"),
                post(path, ensure(pin("\"holder\":\"me\",\"id\":\"\"", "9")), "pin.id", "1 to 64"),
                post(
                        path,
                        ensure(pin("\"holder\":\"me\",\"reason\":\"" + LONG + "\"", "9")),
                        "pin.reason",
                        "at most 200"),
                post(
                        path,
                        ensure(pin("\"holder\":\"me\",\"colour\":1", "9")),
                        "pin.colour",
                        "is not a field"),
                post(
                        path + "?wait_seconds=31",
                        ensure("\"pin\":null"),
                        "wait_seconds",
                        "from 0 to 30"),
                post(
                        path + "?wait_seconds=-1",
                        ensure("\"pin\":null"),
                        "wait_seconds",
                        "from 0 to 30"),
                post(
                        path + "?wait_seconds=soon",
                        ensure("\"pin\":null"),
                        "wait_seconds",
                        "from 0 to 30"));
    }

    private static List<Arguments> pins() {
        String path = V + "/pins";
        return List.of(
                post(path, "{\"holder\":\"me\",\"lease_seconds\":9}", "region", "is missing"),
                post(path, newPin("\"holder\":\"me\"", "4"), "lease_seconds", "from 5 to 604800"),
                post(path, newPin("\"holder\":\"\"", "9"), "holder", "1 to 200"),
                post(path, newPin("\"holder\":\"me\",\"id\":\"ä\"", "9"), "id", "1 to 64"),
                post(
                        path,
                        newPin("\"holder\":\"me\",\"reason\":\"" + LONG + "\"", "9"),
                        "reason",
                        "at most 200"));
    }

    private static List<Arguments> inRegion(String path) {
        return List.of(
                post(V + path, "{}", "region", "is missing"),
                post(V + path, "{\"region\":\"\"}", "region", "must be 1 to 63"),
                post(V + path, "{\"region\":1}", "region", "a string"));
    }

    private static List<Arguments> evictions() {
        return List.of(
                post(V + "/evict", "{}", "region", "is missing"),
                post(
                        V + "/evict",
                        "{\"region\":\"test-1\",\"reason\":\"" + LONG + "\"}",
                        "reason",
                        "at most 200"),
                post(
                        V + "/evict",
                        "{\"region\":\"test-1\",\"force\":true}",
                        "force",
                        "is not a field"));
    }

    private static List<Arguments> pauses() {
        String path = "/regions/test-1/sweep/pause";
        return List.of(
                post(path, "null", "body", "is missing"),
                post(path, "{\"reason\":\"" + LONG + "\"}", "reason", "at most 200"),
                post("/regions/test-1/sweep/resume", "{\"why\":1}", "why", "is not a field"),
                post("/regions/No_Region/sweep/pause", "{}", "region", "must be 1 to 63"),
                post("/regions/test-1/sweep?wait_seconds=31", "", "wait_seconds", "from 0 to 30"));
    }

    private static List<Arguments> ttls() {
        return List.of(
                arguments("PUT", V + "/ttl", "{}", "ttl_seconds", "is missing"),
                arguments("PUT", V + "/ttl", "{\"ttl_seconds\":0}", "ttl_seconds", "from 1 to"),
                arguments("PUT", V + "/ttl", "{\"ttl_seconds\":-5}", "ttl_seconds", "from 1 to"),
                arguments(
                        "PUT", V + "/ttl", "{\"ttl_seconds\":null}", "ttl_seconds", "is missing"));
    }

    static Stream<Arguments> paths() {
        String long128 = "v".repeat(128);
        return Stream.of(
                arguments("GET", "/datasets?limit=0", "limit", "from 1 to 1000"),
                arguments("GET", "/datasets?limit=1001", "limit", "from 1 to 1000"),
                arguments("GET", "/datasets?limit=few", "limit", "from 1 to 1000"),
                arguments("GET", "/datasets?namespace=A", "namespace", "must be 1 to 63"),
                arguments("GET", "/datasets?after=a", "after", "must be the field next"),
                arguments("GET", "/datasets/Team/x", "namespace", "must be 1 to 63"),
                arguments("GET", "/datasets/team/X", "name", "must be 1 to 63"),
                arguments("GET", "/datasets/team/x/versions?limit=0", "limit", "from 1 to 1000"),
                arguments(
                        "GET", "/datasets/team/x/versions?after=%20", "after", "must be 1 to 127"),
                arguments("GET", "/datasets/team/known/versions/-v", "version", "must be 1 to 127"),
                arguments(
                        "GET",
                        "/datasets/team/known/versions/" + long128,
                        "version",
                        "must be 1 to 127"),
                arguments("GET", V + "/requests/a%20b", "request_id", "1 to 64"),
                arguments("GET", V + "/requests/a?wait_seconds=99", "wait_seconds", "from 0 to 30"),
                arguments("GET", V + "/requests/a?region=%20", "region", "must be 1 to 63"),
                arguments("DELETE", V + "/pins/p", "region", "is missing"),
                arguments("DELETE", V + "/pins/a%20b?region=test-1", "id", "1 to 64"),
                arguments(
                        "DELETE",
                        V + "/pins/p?region=test-1&taken_at=yesterday",
                        "taken_at",
                        "must be an instant, such as 2026-11-20T12:00:00.123Z"),
                arguments("GET", "/pins?region=A", "region", "must be 1 to 63"),
                arguments("GET", "/pins?limit=x", "limit", "from 1 to 1000"),
                arguments("GET", "/pins?after=team/x", "after", "must be the field next of a page"),
                arguments("GET", "/blocked?limit=0", "limit", "from 1 to 1000"),
                arguments(
                        "GET",
                        "/blocked?after=team/x",
                        "after",
                        "must be the field next of a " + "page"));
    }

    @ParameterizedTest(name = "{0} {1} {2} blames {3}")
    @MethodSource("bodies")
    void aBadBodyIsRefused(String method, String path, String body, String field, String rule) {
        refused(api.send(method, path, body), field, rule);
    }

    @ParameterizedTest(name = "{0} {1} blames {2}")
    @MethodSource("paths")
    void aBadParameterIsRefused(String method, String path, String field, String rule) {
        refused(api.send(method, path, null), field, rule);
    }

    @Test
    void aBadIdempotencyKeyIsRefused() {
        Api.Answer answer =
                api.post(V + "/ensure", "{\"region\":\"test-1\"}", "Idempotency-Key", "a b");

        refused(answer, "Idempotency-Key", "1 to 64");
    }

    @Test
    void renewingAPinRefusesLatestAsTheVersion() {
        Api.Answer answer =
                api.post(
                        "/datasets/team/unknown/versions/latest/pins/p/renew",
                        "{\"region\":\"test-1\"}");

        problem(answer, 400, "INVALID_ARGUMENT");
        assertThat(answer.text("detail"))
                .isEqualTo("version 'latest' must be a new name, not latest");
    }

    @ParameterizedTest
    @MethodSource("inUnknownRegion")
    void theRefusalOfAnUnknownRegionListsTheKnownRegions(String method, String path, String body) {
        Api.Answer answer = api.send(method, path, body.isEmpty() ? null : body);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text("code")).isEqualTo("UNKNOWN_REGION");
        assertThat(answer.text("detail")).contains("'mars'").contains("test-1");
    }

    static Stream<Arguments> inUnknownRegion() {
        String mars = "{\"region\":\"mars\"}";
        return Stream.of(
                arguments("POST", V + "/ensure", mars),
                arguments("POST", V + "/evict", mars),
                arguments("POST", V + "/resume", mars),
                arguments("POST", V + "/pins/p/renew", mars),
                arguments(
                        "POST",
                        V + "/pins",
                        "{\"region\":\"mars\",\"holder\":\"me\",\"lease_seconds\":9}"),
                arguments("DELETE", V + "/pins/p?region=mars", ""),
                arguments("GET", V + "/requests/r?region=mars", ""),
                arguments("GET", "/pins?region=mars", ""));
    }

    @ParameterizedTest
    @MethodSource("ofUnknownDataset")
    void anUnknownDatasetIsNotFound(String method, String path, String body) {
        Api.Answer answer = api.send(method, path, body.isEmpty() ? null : body);

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.text("code")).isEqualTo("NOT_FOUND");
        assertThat(answer.text("detail")).contains("team/unknown");
    }

    static Stream<Arguments> ofUnknownDataset() {
        String u = "/datasets/team/unknown";
        String in = "{\"region\":\"test-1\"}";
        return Stream.of(
                arguments("GET", u, ""),
                arguments("GET", u + "/versions", ""),
                arguments("GET", u + "/versions/v", ""),
                arguments("GET", u + "/versions/latest", ""),
                arguments("POST", u + "/versions/latest/ensure", in),
                arguments("GET", u + "/versions/latest/requests/r", ""),
                arguments("POST", u + "/versions/v/ensure", in),
                arguments("GET", u + "/versions/v/requests/r", ""),
                arguments("POST", u + "/versions/v/freeze", ""),
                arguments("POST", u + "/versions/v/evict", in),
                arguments("POST", u + "/versions/v/resume", in),
                arguments("PUT", u + "/versions/v/ttl", "{\"ttl_seconds\":9}"),
                arguments("GET", u + "/versions/v/pins", ""),
                arguments(
                        "POST",
                        u + "/versions/v/pins",
                        "{\"region\":\"test-1\",\"holder\":\"me\",\"lease_seconds\":9}"),
                arguments("POST", u + "/versions/v/pins/p/renew", in),
                arguments("DELETE", u + "/versions/v/pins/p?region=test-1", ""));
    }

    @Test
    void anUnsupportedRequestReturnsAProblem() {
        problem(api.get("/nothing"), 404, "NOT_FOUND");
        problem(api.send("PATCH", "/datasets", "{}"), 405, "INVALID_ARGUMENT");
        problem(
                api.send("POST", "/datasets", "x", "Content-Type", "text/plain"),
                415,
                "INVALID_ARGUMENT");
        problem(api.send("GET", "/regions", null, "Accept", "image/png"), 406, "INVALID_ARGUMENT");
    }

    @Test
    void anOversizedRequestReturnsAProblem() {
        String tooLong = "x".repeat(64 * 1024);

        problem(api.post("/datasets", "\"" + tooLong + "\""), 413, "INVALID_ARGUMENT");
        problem(api.get("/datasets?after=" + "x".repeat(4096)), 414, "INVALID_ARGUMENT");
        problem(api.send("GET", "/regions", null, "X-Long", tooLong), 431, "INVALID_ARGUMENT");
    }

    @Test
    void anOversizedBodyOfUnknownLengthReturnsAProblem() {
        String tooLong = "\"" + "x".repeat(64 * 1024) + "\"";

        problem(
                api.stream(
                        "POST",
                        "/datasets",
                        BodyPublishers.ofInputStream(
                                () -> new ByteArrayInputStream(tooLong.getBytes(UTF_8)))),
                413,
                "INVALID_ARGUMENT");
    }

    @Test
    void theControlPlaneDoesNotSupportHttp2() throws IOException {
        Http2Probe probe = Http2Probe.plain(TestControlPlane.shared().process.address());

        assertThat(probe.preface()).matches("HTTP/.\\.. [45]..");
        assertThat(probe.upgrade("/q/health/live")).isEqualTo("HTTP/1.1 200");
    }

    @Test
    void theOpenApiDocumentHasAProblemResponseForEveryOperation() {
        JsonNode document =
                new Api(TestControlPlane.shared().process.address())
                        .get("/q/openapi?format=json")
                        .body();

        assertThat(document.get("paths")).isNotEmpty();
        for (JsonNode path : document.get("paths")) {
            for (JsonNode operation : path) {
                assertThat(operation.at("/responses/400/content/application~1problem+json"))
                        .as("refusals of %s", operation.path("summary"))
                        .isNotEmpty();
            }
        }
    }

    @Test
    void theControlPlaneDoesNotServeTheAgentGateway() {
        Api root = new Api(TestControlPlane.shared().process.address());

        problem(root.get("/v1/region"), 404, "NOT_FOUND");
    }

    private static void refused(Api.Answer answer, String field, String rule) {
        problem(answer, 400, "INVALID_ARGUMENT");
        assertThat(answer.text("field")).isEqualTo(field);
        assertThat(answer.text("detail")).startsWith(field).contains(rule);
        assertThat(answer.body().get("retryable").asBoolean()).isFalse();
    }

    private static void problem(Api.Answer answer, int status, String code) {
        assertThat(answer.status()).as(answer.raw().body()).isEqualTo(status);
        assertThat(answer.text("code")).isEqualTo(code);
        assertThat(answer.raw().headers().firstValue("Content-Type"))
                .hasValue("application/problem+json");
        assertThat(answer.body().get("status").asInt()).isEqualTo(status);
        assertThat(answer.text("title")).isNotEmpty();
    }

    private static Arguments post(String path, String body, String field, String rule) {
        return arguments("POST", path, body, field, rule);
    }

    private static String withTtlAfter(String after) {
        return "{\"namespace\":\"team\",\"name\":\"n\",\"source\":\"s3://lake/a/\",\"ttl_after\":%s}"
                .formatted(after);
    }

    private static String dataset(String namespace, String name, String source) {
        return "{\"namespace\":\"%s\",\"name\":\"%s\",\"source\":\"%s\"}"
                .formatted(namespace, name, source);
    }

    private static String choosing(String choice) {
        return dataset("team", "n", "s3://lake/a/").replace("}", "," + choice + "}");
    }

    private static String withTtl(String ttl) {
        return "{\"namespace\":\"team\",\"name\":\"n\",\"source\":\"s3://lake/a/\",\"ttl_seconds\":%s}"
                .formatted(ttl);
    }

    private static String ensure(String more) {
        return "{\"region\":\"test-1\",%s}".formatted(more);
    }

    private static String pin(String fields, String lease) {
        return "\"pin\":{%s,\"lease_seconds\":%s}".formatted(fields, lease);
    }

    private static String newPin(String fields, String lease) {
        return "{\"region\":\"test-1\",%s,\"lease_seconds\":%s}".formatted(fields, lease);
    }
}
