package dev.forebay.control.engine;

import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.model.ShellWord;
import dev.forebay.service.ServiceConfig;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.URI;
import java.util.Optional;

/** What a person types to see what the lake has, with a tool that is not ours. Immutable. */
@Singleton
class LakeCommands {

    private final Optional<URI> endpoint;

    @Inject
    LakeCommands(ServiceConfig config) {
        this(config.lake().endpoint());
    }

    LakeCommands(Optional<URI> endpoint) {
        this.endpoint = endpoint;
    }

    /** Lists what is below a source. */
    String list(LakeSource source) {
        return "aws s3 ls "
                + ShellWord.of(source.toString())
                + endpoint.map(its -> " --endpoint-url " + ShellWord.of(its.toString())).orElse("");
    }
}
