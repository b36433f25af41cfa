package dev.forebay.fuse;

import dev.forebay.csi.IdentityGrpc;
import dev.forebay.csi.NodeGrpc;
import dev.forebay.csi.NodePublishVolumeRequest;
import dev.forebay.csi.NodeUnpublishVolumeRequest;
import dev.forebay.csi.VolumeCapability;
import dev.forebay.csi.VolumeCapability.AccessMode;
import dev.forebay.csi.VolumeCapability.AccessMode.Mode;
import dev.forebay.csi.VolumeCapability.MountVolume;
import dev.forebay.model.DatasetVersion;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Calls a driver as a kubelet does. Each call has a deadline. */
final class CsiClient implements AutoCloseable {

    private final EventLoopGroup events = new EpollEventLoopGroup(1);
    private final ManagedChannel channel;
    private final Duration deadline;

    CsiClient(Path socket, Duration deadline) {
        this.deadline = deadline;
        channel =
                NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                        .channelType(EpollDomainSocketChannel.class)
                        .eventLoopGroup(events)
                        .usePlaintext()
                        .build();
    }

    IdentityGrpc.IdentityBlockingStub identity() {
        return IdentityGrpc.newBlockingStub(channel)
                .withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS);
    }

    NodeGrpc.NodeBlockingStub node() {
        return NodeGrpc.newBlockingStub(channel)
                .withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Publishes as a kubelet does for an inline volume. */
    void publish(DatasetVersion version, Path target) {
        AccessMode mode = AccessMode.newBuilder().setMode(Mode.SINGLE_NODE_WRITER).build();
        NodePublishVolumeRequest request =
                NodePublishVolumeRequest.newBuilder()
                        .setVolumeId("csi-" + target.hashCode())
                        .setTargetPath(target.toString())
                        .setVolumeCapability(
                                VolumeCapability.newBuilder()
                                        .setMount(MountVolume.getDefaultInstance())
                                        .setAccessMode(mode))
                        .putVolumeContext("dataset", version.toString())
                        .putVolumeContext("csi.storage.k8s.io/ephemeral", "true")
                        .build();
        var _ = node().nodePublishVolume(request);
    }

    void unpublish(Path target) {
        NodeUnpublishVolumeRequest request =
                NodeUnpublishVolumeRequest.newBuilder()
                        .setVolumeId("csi-" + target.hashCode())
                        .setTargetPath(target.toString())
                        .build();
        var _ = node().nodeUnpublishVolume(request);
    }

    @Override
    public void close() {
        var _ = channel.shutdownNow();
        var _ = events.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
