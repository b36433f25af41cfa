package dev.forebay.control.api.versions;

import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A page of pins. */
@Schema(name = "PinPage")
public record PinPage(List<PinView> items, @Nullable String next) {}
