package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;

/** Let go of a pin; does nothing if it has ended. */
public record UnpinRequest(RegionName region, String id) {}
