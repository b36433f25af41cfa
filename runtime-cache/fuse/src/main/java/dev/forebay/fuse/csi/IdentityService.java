package dev.forebay.fuse.csi;

import com.google.protobuf.BoolValue;
import dev.forebay.csi.GetPluginCapabilitiesRequest;
import dev.forebay.csi.GetPluginCapabilitiesResponse;
import dev.forebay.csi.GetPluginInfoRequest;
import dev.forebay.csi.GetPluginInfoResponse;
import dev.forebay.csi.IdentityGrpc;
import dev.forebay.csi.ProbeRequest;
import dev.forebay.csi.ProbeResponse;
import io.grpc.stub.StreamObserver;
import java.io.IOException;

/** The CSI Identity service. */
final class IdentityService extends IdentityGrpc.IdentityImplBase {

    /** The name of the driver in pods, volumes and the CSIDriver object. */
    static final String NAME = "csi.forebay.dev";

    private final String version;
    private final Volumes volumes;

    IdentityService(String version, Volumes volumes) {
        this.version = version;
        this.volumes = volumes;
    }

    @Override
    public void getPluginInfo(
            GetPluginInfoRequest request, StreamObserver<GetPluginInfoResponse> caller) {
        answer(
                caller,
                GetPluginInfoResponse.newBuilder().setName(NAME).setVendorVersion(version).build());
    }

    /**
     * Returns no capabilities: there is no controller, because no volumes are created, and every
     * node has the same ones.
     */
    @Override
    public void getPluginCapabilities(
            GetPluginCapabilitiesRequest request,
            StreamObserver<GetPluginCapabilitiesResponse> caller) {
        answer(caller, GetPluginCapabilitiesResponse.getDefaultInstance());
    }

    /** Reports ready if the node shows versions. */
    @Override
    public void probe(ProbeRequest request, StreamObserver<ProbeResponse> caller) {
        try {
            answer(
                    caller,
                    ProbeResponse.newBuilder()
                            .setReady(BoolValue.of(volumes.isTreeMounted()))
                            .build());
        } catch (IOException e) {
            caller.onError(GrpcErrors.of(e));
        }
    }

    private static <T> void answer(StreamObserver<T> caller, T answer) {
        caller.onNext(answer);
        caller.onCompleted();
    }
}
