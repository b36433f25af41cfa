package dev.forebay.fuse;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** What a program answers to {@code --version}: the version that its jar says it was built as. */
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
