package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;

/** Request to try again in a region that is BLOCKED. */
public record ResumeRequest(RegionName region) {}
