package dev.forebay.control.ingest;

import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.model.ShellWord;
import dev.forebay.service.ServiceConfig;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.URI;
import java.util.Optional;

/** Writes command lines with which a user can list the lake, without Forebay. Immutable. */
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

    /** Returns the command that lists the objects below a source. */
    String list(LakeSource source) {
        return "aws s3 ls "
                + ShellWord.of(source.toString())
                + endpoint.map(its -> " --endpoint-url " + ShellWord.of(its.toString())).orElse("");
    }
}
