package dev.forebay.service;

/** What this process is. */
public enum Role {
    /** The REST API, the catalogue, the workflows and the activities that belong to no region. */
    CONTROL_PLANE,
    /** The activities of one region, and the gateway through which pins there are renewed. */
    AGENT;

    /** The values of {@code forebay.role}. */
    public static final String CONTROL_PLANE_NAME = "control-plane";

    public static final String AGENT_NAME = "agent";
}
