package dev.forebay.devstack.cli;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** Answers {@code --version} with the version in the manifest of the jar. */
final class BuiltVersion implements IVersionProvider {

    @Override
    public String[] getVersion() {
        String version = BuiltVersion.class.getPackage().getImplementationVersion();
        return new String[] {"devstack " + Objects.requireNonNullElse(version, "(not from a jar)")};
    }
}
