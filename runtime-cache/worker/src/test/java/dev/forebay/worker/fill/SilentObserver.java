package dev.forebay.worker.fill;

/** Ignores all events. */
final class SilentObserver implements FillObserver {

    @Override
    public void lakeRequest(String outcome, long bytes) {}

    @Override
    public void peerRequest(String outcome, long bytes) {}

    @Override
    public void siblingRequest(String outcome, long bytes) {}

    @Override
    public void filled(String outcome, long nanos) {}
}
