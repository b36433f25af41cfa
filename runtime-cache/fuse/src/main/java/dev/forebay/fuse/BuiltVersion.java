package dev.forebay.fuse;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** The answer to {@code --version}: the version in the manifest of the program's jar. */
final class BuiltVersion implements IVersionProvider {

    @Override
    public String[] getVersion() {
        return new String[] {"${COMMAND-FULL-NAME} " + number()};
    }

    static String number() {
        String version = BuiltVersion.class.getPackage().getImplementationVersion();
        return Objects.requireNonNullElse(version, "(not from a jar)");
    }
}
