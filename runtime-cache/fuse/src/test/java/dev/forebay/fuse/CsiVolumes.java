package dev.forebay.fuse;

import dev.forebay.csi.ControllerGetCapabilitiesRequest;
import dev.forebay.csi.ControllerGetCapabilitiesResponse;
import dev.forebay.csi.ControllerGrpc;
import dev.forebay.csi.ControllerServiceCapability;
import dev.forebay.csi.ControllerServiceCapability.RPC;
import dev.forebay.csi.CreateVolumeRequest;
import dev.forebay.csi.CreateVolumeResponse;
import dev.forebay.csi.DeleteVolumeRequest;
import dev.forebay.csi.DeleteVolumeResponse;
import dev.forebay.csi.GetPluginCapabilitiesRequest;
import dev.forebay.csi.GetPluginCapabilitiesResponse;
import dev.forebay.csi.GetPluginInfoRequest;
import dev.forebay.csi.GetPluginInfoResponse;
import dev.forebay.csi.IdentityGrpc;
import dev.forebay.csi.ProbeRequest;
import dev.forebay.csi.ProbeResponse;
import dev.forebay.csi.Volume;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Provides volumes for csi-sanity, as an administrator who writes PersistentVolumes would. */
final class CsiVolumes implements AutoCloseable {

    private final EventLoopGroup events = new EpollEventLoopGroup(1);
    private final Server server;

    CsiVolumes(Path socket, Map<String, String> attributes) throws IOException {
        server =
                NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                        .channelType(EpollServerDomainSocketChannel.class)
                        .bossEventLoopGroup(events)
                        .workerEventLoopGroup(events)
                        .addService(new Identity())
                        .addService(new Controller(attributes))
                        .build()
                        .start();
    }

    /** csi-sanity asks each server of a driver for its identity. */
    private static final class Identity extends IdentityGrpc.IdentityImplBase {

        @Override
        public void getPluginInfo(
                GetPluginInfoRequest request, StreamObserver<GetPluginInfoResponse> caller) {
            caller.onNext(GetPluginInfoResponse.newBuilder().setName("volumes.of.tests").build());
            caller.onCompleted();
        }

        @Override
        public void getPluginCapabilities(
                GetPluginCapabilitiesRequest request,
                StreamObserver<GetPluginCapabilitiesResponse> caller) {
            caller.onNext(GetPluginCapabilitiesResponse.getDefaultInstance());
            caller.onCompleted();
        }

        @Override
        public void probe(ProbeRequest request, StreamObserver<ProbeResponse> caller) {
            caller.onNext(ProbeResponse.getDefaultInstance());
            caller.onCompleted();
        }
    }

    private static final class Controller extends ControllerGrpc.ControllerImplBase {

        private final Map<String, String> attributes;

        Controller(Map<String, String> attributes) {
            this.attributes = attributes;
        }

        @Override
        public void createVolume(
                CreateVolumeRequest request, StreamObserver<CreateVolumeResponse> caller) {
            Volume volume =
                    Volume.newBuilder()
                            .setVolumeId(request.getName())
                            .putAllVolumeContext(attributes)
                            .build();
            caller.onNext(CreateVolumeResponse.newBuilder().setVolume(volume).build());
            caller.onCompleted();
        }

        @Override
        public void deleteVolume(
                DeleteVolumeRequest request, StreamObserver<DeleteVolumeResponse> caller) {
            caller.onNext(DeleteVolumeResponse.getDefaultInstance());
            caller.onCompleted();
        }

        @Override
        public void controllerGetCapabilities(
                ControllerGetCapabilitiesRequest request,
                StreamObserver<ControllerGetCapabilitiesResponse> caller) {
            ControllerServiceCapability makes =
                    ControllerServiceCapability.newBuilder()
                            .setRpc(RPC.newBuilder().setType(RPC.Type.CREATE_DELETE_VOLUME))
                            .build();
            caller.onNext(
                    ControllerGetCapabilitiesResponse.newBuilder().addCapabilities(makes).build());
            caller.onCompleted();
        }
    }

    @Override
    public void close() {
        var _ = server.shutdownNow();
        var _ = events.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
