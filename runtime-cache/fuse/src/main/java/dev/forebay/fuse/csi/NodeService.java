package dev.forebay.fuse.csi;

import dev.forebay.csi.NodeGetCapabilitiesRequest;
import dev.forebay.csi.NodeGetCapabilitiesResponse;
import dev.forebay.csi.NodeGetInfoRequest;
import dev.forebay.csi.NodeGetInfoResponse;
import dev.forebay.csi.NodeGrpc;
import dev.forebay.csi.NodePublishVolumeRequest;
import dev.forebay.csi.NodePublishVolumeResponse;
import dev.forebay.csi.NodeUnpublishVolumeRequest;
import dev.forebay.csi.NodeUnpublishVolumeResponse;
import dev.forebay.model.ForebayException;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The CSI Node service: publishes volumes on this node. There is no staging, because a publication
 * is a single mount.
 */
final class NodeService extends NodeGrpc.NodeImplBase {

    private final String node;
    private final Targets targets;
    private final Volumes volumes;
    private final VolumeCalls calls;

    NodeService(String node, Targets targets, Volumes volumes, VolumeCalls calls) {
        this.node = node;
        this.targets = targets;
        this.volumes = volumes;
        this.calls = calls;
    }

    @Override
    public void nodeGetInfo(
            NodeGetInfoRequest request, StreamObserver<NodeGetInfoResponse> caller) {
        caller.onNext(NodeGetInfoResponse.newBuilder().setNodeId(node).build());
        caller.onCompleted();
    }

    @Override
    public void nodeGetCapabilities(
            NodeGetCapabilitiesRequest request,
            StreamObserver<NodeGetCapabilitiesResponse> caller) {
        caller.onNext(NodeGetCapabilitiesResponse.getDefaultInstance());
        caller.onCompleted();
    }

    @Override
    public void nodePublishVolume(
            NodePublishVolumeRequest request, StreamObserver<NodePublishVolumeResponse> caller) {
        Publication publication;
        try {
            publication = Publication.of(request);
        } catch (ForebayException e) {
            caller.onError(GrpcErrors.of(e));
            return;
        }
        calls.publish(
                publication.target(),
                caller,
                timeout -> {
                    Path target = targets.existing(publication.target());
                    volumes.publish(publication.version(), target, timeout);
                    return NodePublishVolumeResponse.getDefaultInstance();
                });
    }

    @Override
    public void nodeUnpublishVolume(
            NodeUnpublishVolumeRequest request,
            StreamObserver<NodeUnpublishVolumeResponse> caller) {
        Path target;
        try {
            Publication.requireVolume(request.getVolumeId());
            target = Targets.parse(request.getTargetPath());
        } catch (ForebayException e) {
            caller.onError(GrpcErrors.of(e));
            return;
        }
        calls.unpublish(
                target,
                caller,
                _ -> {
                    Optional<Path> there = targets.find(target);
                    if (there.isPresent()) {
                        volumes.unpublish(there.get());
                    }
                    return NodeUnpublishVolumeResponse.getDefaultInstance();
                });
    }
}
