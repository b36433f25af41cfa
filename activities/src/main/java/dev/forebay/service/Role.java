package dev.forebay.service;

/** The role of this process. */
public enum Role {
    /** Runs the REST API, the catalogue, the workflows, and the activities without a region. */
    CONTROL_PLANE,
    /**
     * Runs the activities of one region, and the gateway for the control plane and other regions.
     */
    AGENT;

    /** The values of {@code forebay.role}. */
    public static final String CONTROL_PLANE_NAME = "control-plane";

    public static final String AGENT_NAME = "agent";
}
