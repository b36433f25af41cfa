package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.DevstackException;
import dev.forebay.model.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What a worker refuses: bad requests, strangers, settings that cannot work. */
class WorkerEdgeIT extends RunningWorker {

    @Test
    void refusesBadInputWithTheFieldAndTheRule() throws Exception {
        region.put("bad/object", random(22, 100));
        TestVersion version = mounted("bad");
        String pack = version.pack().id().toString();
        String digest = version.ref().digest().hex();

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
    }

    @Test
    void wantsTheTokenOnEveryRequestWhenThereIsOne() throws Exception {
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
    void refusesToListenToTheWorldWithoutAToken() {
        assertThatThrownBy(() -> ownWorker("open", "quarkus.http.host=0.0.0.0"))
                .isInstanceOf(DevstackException.class)
                .hasMessageContaining("forebay.token-file");
    }

    @Test
    void namesThePropertyThatCannotWork() {
        assertThatThrownBy(() -> ownWorker("tiny", "forebay.worker.capacity=1M"))
                .isInstanceOf(DevstackException.class)
                .hasMessageContaining("forebay.worker.capacity");
    }
}
