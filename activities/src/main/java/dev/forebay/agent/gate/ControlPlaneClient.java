package dev.forebay.agent.gate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.forebay.agent.jobs.PinOwner;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.api.ForebayApi;
import dev.forebay.service.api.ForebayApi.Reply;
import dev.forebay.service.api.ForebayApi.Request;
import dev.forebay.service.api.ServiceClients;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.zip.CRC32;
import org.jboss.logging.Logger;

/** Sends requests of gangs to the control plane's REST API. Safe for use by many threads. */
final class ControlPlaneClient implements VersionRequester {

    private static final Logger LOG = Logger.getLogger(ControlPlaneClient.class);

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final int OK = 200;
    private static final int NO_CONTENT = 204;
    private static final int NOT_FOUND = 404;

    private static final String BLOCKED = "BLOCKED";

    private final ForebayApi api;
    private final RegionName region;
    private final Duration lease;
    private final String purpose;

    /**
     * @param address the address of its API
     * @param purpose a prefix of the requests' keys, at most 10 characters of an id; clients with
     *     different purposes cancel only their own requests
     * @param lease the lease of the pins, which another part must renew
     * @param timeout the timeout of a request
     */
    ControlPlaneClient(
            URI address,
            ServiceClients clients,
            RegionName region,
            String purpose,
            Duration lease,
            Duration timeout) {
        this.api = new ForebayApi(address, "forebay.gate.api", clients, timeout, JSON);
        this.region = region;
        this.purpose = purpose;
        this.lease = lease;
    }

    @Override
    public RequestAnswer ensure(Gang gang) {
        ObjectNode body = body(gang);
        try {
            Reply reply =
                    api.exchange(
                            new Request(
                                    "POST",
                                    path(gang) + "/ensure?by_name=true",
                                    body,
                                    Map.of("Idempotency-Key", key(gang.holder(), body))));
            return RequestAnswer.of(reply.status(), JSON.readTree(reply.body()));
        } catch (JsonProcessingException e) {
            return new RequestAnswer.Refused(
                    RequestAnswer.UNAVAILABLE, "cannot read the control plane's answer");
        } catch (ForebayException e) {
            return new RequestAnswer.Refused(
                    RequestAnswer.UNAVAILABLE, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public boolean isBlocked(Gang gang) {
        try {
            Reply reply = api.exchange(Request.of("GET", path(gang)));
            if (reply.status() != OK) {
                return reply.status() != NOT_FOUND;
            }
            for (JsonNode residency : JSON.readTree(reply.body()).path("regions")) {
                if (residency.path("region").asText().equals(region.value())) {
                    return residency.path("state").asText().equals(BLOCKED);
                }
            }
            return false;
        } catch (JsonProcessingException | ForebayException e) {
            return true;
        }
    }

    @Override
    public void cancel(Gang gang) {
        String request = "/requests/" + key(gang.holder(), body(gang));
        try {
            int status = api.exchange(Request.of("DELETE", path(gang) + request)).status();
            if (status != NO_CONTENT && status != NOT_FOUND) {
                warn(gang, "the control plane answered with status " + status);
            }
        } catch (ForebayException e) {
            warn(gang, String.valueOf(e.getMessage()));
        }
    }

    private static void warn(Gang gang, String why) {
        LOG.warnf(
                "Cannot confirm that the request of %s is cancelled; its pin may last until its "
                        + "lease ends: %s",
                gang.holder(), why);
    }

    private static String path(Gang gang) {
        DatasetVersion version = gang.versionRequest().version();
        return "/datasets/%s/versions/%s".formatted(version.dataset(), version.version());
    }

    private ObjectNode body(Gang gang) {
        ObjectNode body = JSON.createObjectNode();
        body.put("region", region.value());
        body.put("run_id", gang.holder().toString());
        gang.versionRequest()
                .deadline()
                .ifPresent(it -> body.put("deadline_seconds", it.toSeconds()));
        body.put("on_deadline", gang.versionRequest().runsCold() ? "run_cold" : "fail");
        if (gang.versionRequest().create()) {
            body.put("create", true);
        }
        body.putObject("pin")
                .put("id", gang.holder().pinId())
                .put("holder", gang.holder().toString())
                .put("reason", "training")
                .put("lease_seconds", lease.toSeconds())
                .put("job", gang.holder().uid());
        return body;
    }

    /**
     * Returns the idempotency key. It includes a checksum of the body, because annotations or the
     * lease may change and a key must belong to one request only.
     */
    private String key(PinOwner holder, ObjectNode body) {
        CRC32 sum = new CRC32();
        sum.update(body.toString().getBytes(StandardCharsets.UTF_8));
        return "%s%s-%08x".formatted(purpose, holder.pinId(), sum.getValue());
    }
}
