package dev.forebay.agent.gateway;

import dev.forebay.agent.capacity.RegionUsage;
import dev.forebay.agent.config.AgentConfig;
import dev.forebay.agent.pins.RegionPins;
import dev.forebay.membership.Pin;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.placement.WorkerNode;
import dev.forebay.service.Role;
import dev.forebay.service.gateway.PinsReport;
import dev.forebay.service.gateway.RegionReport;
import dev.forebay.service.gateway.RegionReport.WorkerReport;
import dev.forebay.service.gateway.Renewal;
import dev.forebay.service.gateway.UsageReport;
import dev.forebay.thread.ParallelCalls;
import dev.forebay.transfer.AccountPage;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerStatus;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/**
 * The main part of the agent's gateway for the control plane: renews pins, and reports on workers,
 * accounts, usage and pins.
 */
@Path("/v1")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.CONTROL_PLANE_NAME)
class GatewayResource {

    private static final Duration STATUS_TIMEOUT = Duration.ofMillis(1_500);

    private final RegionName name;
    private final RegionState region;
    private final WorkerClient workers;
    private final AgentConfig config;
    private final RegionUsage usage;
    private final RegionPins pins;

    GatewayResource(
            RegionName name,
            RegionState region,
            WorkerClient workers,
            AgentConfig config,
            RegionUsage usage,
            RegionPins pins) {
        this.name = name;
        this.region = region;
        this.workers = workers;
        this.config = config;
        this.usage = usage;
        this.pins = pins;
    }

    @POST
    @Path("/pins/{namespace}/{name}/{version}/{id}/renew")
    @Operation(hidden = true)
    public Renewal renew(String namespace, String name, String version, String id) {
        DatasetVersion of = DatasetVersion.of(namespace, name, version);
        Duration left =
                region.renew(of, id)
                        .orElseThrow(
                                () ->
                                        new ForebayException(
                                                ErrorCode.NOT_FOUND,
                                                "pin '%s' on %s has ended".formatted(id, of)));
        Optional<Pin> pin =
                region.view().pins().stream()
                        .filter(each -> each.version().equals(of) && each.id().equals(id))
                        .findFirst();
        return new Renewal(
                left.toSeconds(),
                pin.map(Pin::holder).orElse(""),
                pin.map(Pin::reason).orElse(""),
                pin.map(Pin::job).orElse(null));
    }

    @GET
    @Path("/region")
    @Operation(hidden = true)
    public RegionReport report() {
        return new RegionReport(name.value(), config.mountRoot(), region.connected(), workers());
    }

    @GET
    @Path("/workers/{id}/accounts")
    @Operation(hidden = true)
    public AccountPage accounts(String id, @RestQuery @DefaultValue("-1") int after) {
        return workers.accounts(worker(id), after);
    }

    @DELETE
    @Path("/workers/{id}/accounts/{account}")
    @Operation(hidden = true)
    public void settle(String id, String account, @RestQuery long revision) {
        workers.settle(worker(id), account, revision);
    }

    private WorkerNode worker(String id) {
        return region.view().workers().stream()
                .filter(worker -> worker.id().equals(id))
                .findFirst()
                .orElseThrow(
                        () ->
                                new ForebayException(
                                        ErrorCode.NOT_FOUND,
                                        "no worker '%s' is registered".formatted(id)));
    }

    @GET
    @Path("/usage")
    @Operation(hidden = true)
    public UsageReport usage() {
        return usage.report();
    }

    @GET
    @Path("/pins")
    @Operation(hidden = true)
    public PinsReport pins() {
        return pins.report();
    }

    private List<WorkerReport> workers() {
        RegionView view;
        try {
            view = region.view();
        } catch (ForebayException neverReached) {
            return List.of();
        }
        List<WorkerNode> live =
                view.workers().stream()
                        .filter(worker -> view.live().contains(worker.id()))
                        .toList();
        List<Optional<WorkerStatus>> answers =
                ParallelCalls.answers(live, STATUS_TIMEOUT, workers::status);
        Map<WorkerNode, Long> used = new HashMap<>();
        for (int i = 0; i < live.size(); i++) {
            WorkerNode worker = live.get(i);
            answers.get(i).ifPresent(status -> used.put(worker, status.usedBytes()));
        }
        return view.workers().stream()
                .map(worker -> report(worker, view, used.get(worker)))
                .toList();
    }

    private static WorkerReport report(WorkerNode worker, RegionView view, @Nullable Long used) {
        return new WorkerReport(
                worker.id(),
                worker.address(),
                view.live().contains(worker.id()),
                worker.capacityBytes(),
                used);
    }
}
