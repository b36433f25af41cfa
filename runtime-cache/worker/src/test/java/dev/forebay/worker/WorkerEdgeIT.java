package dev.forebay.worker;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.fault.Http2Probe;
import dev.forebay.model.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bad requests, requests without the token, and settings with which a worker cannot start. */
class WorkerEdgeIT extends RunningWorker {

    private static final String REFUSED_READS =
            "forebay_worker_requests_seconds_count{operation=\"read\",outcome=\"invalid_argument\"";

    @Test
    void aWorkerRefusesBadInputWithTheFieldAndTheRule() throws Exception {
        region.put("bad/object", random(22, 100));
        TestVersion version = mounted("bad");
        String pack = version.pack().id().toString();
        String digest = version.ref().digest().hex();
        double countedBefore = worker.metric(REFUSED_READS);

        assertProblem(
                worker.get("/v1/packs/XYZ?manifest=" + digest, "Range", "bytes=0-1"),
                400,
                ErrorCode.INVALID_ARGUMENT,
                "pack",
                "64 lower-case");
        assertProblem(
                worker.get("/v1/packs/" + pack, "Range", "bytes=0-1"),
                400,
                ErrorCode.INVALID_ARGUMENT,
                "manifest",
                "missing");
        assertProblem(
                worker.get(version.readPath()),
                400,
                ErrorCode.INVALID_ARGUMENT,
                "Range",
                "bytes=a-b");
        assertProblem(
                worker.get(version.readPath(), "Range", "bytes=4096-"),
                416,
                ErrorCode.INVALID_ARGUMENT,
                "Range",
                "4096");
        assertProblem(
                worker.send("PUT", "/v1/packs/" + pack + "/chunks/-1?manifest=" + digest),
                400,
                ErrorCode.INVALID_ARGUMENT,
                "index",
                "whole number");
        assertProblem(
                worker.send("PUT", "/v1/packs/" + pack + "/chunks/7?manifest=" + digest),
                400,
                ErrorCode.INVALID_ARGUMENT,
                "index",
                "less than 1");
        assertProblem(
                worker.get(
                        "/v1/packs/" + "c".repeat(64) + "?manifest=" + digest,
                        "Range",
                        "bytes=0-1"),
                404,
                ErrorCode.NOT_FOUND);
        assertProblem(worker.get("/v1/manifests/" + "d".repeat(64)), 404, ErrorCode.NOT_FOUND);
        // The worker sends the answer before it counts it.
        await(() -> worker.metric(REFUSED_READS) >= countedBefore + 4);
    }

    @Test
    void aWorkerWithATokenFileRequiresTheToken() throws Exception {
        Path file = Files.writeString(DIRECTORY.resolve("token"), "a-token-of-enough-characters\n");
        WorkerProcess own = ownWorker("guarded", "forebay.token-file=" + file);

        assertProblem(own.get("/v1/status"), 401, ErrorCode.DENIED);
        assertThat(
                        own.get(
                                        "/v1/status",
                                        "Authorization",
                                        "Bearer a-token-of-enough-characters")
                                .statusCode())
                .isEqualTo(200);
    }

    @Test
    void aWorkerDoesNotSpeakHttp2() throws Exception {
        Http2Probe probe = Http2Probe.plain(worker.address());

        assertThat(probe.preface()).matches("HTTP/.\\.. [45]..");
        assertThat(probe.upgrade("/q/health/live")).isEqualTo("HTTP/1.1 200");
    }

    /** One setting for each place that reads settings. {@link StartupTest} has the others. */
    @ParameterizedTest(name = "{0} = {1}: {2}")
    @CsvSource({
        "quarkus.http.host, 0.0.0.0, forebay.token-file must be set",
        "forebay.lake.requests-per-second, 0, forebay.lake.requests-per-second is 0: it must",
        "forebay.worker.tls.certificate, /nowhere, forebay.worker.tls.key is not set: it must"
    })
    void aWorkerThatCannotStartNamesTheSettingInOneLine(
            String setting, String value, String message) throws Exception {
        assertThatThrownBy(() -> ownWorker(setting, setting + "=" + value))
                .isInstanceOf(DevstackException.class)
                .hasMessageContaining(message);

        assertThat(Files.readAllLines(DIRECTORY.resolve(setting).resolve(setting + ".log")))
                .singleElement(as(STRING))
                .startsWith("Forebay does not start: " + message);
    }
}
