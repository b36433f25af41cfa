package dev.forebay.fuse.options;

import dev.forebay.model.ForebayException;
import dev.forebay.model.NodeName;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** Parses options that are names of nodes, or empty for none. */
final class NodeNameConverter implements CommandLine.ITypeConverter<NodeName> {

    @Override
    public @Nullable NodeName convert(String value) {
        try {
            return value.isEmpty() ? null : new NodeName(value);
        } catch (ForebayException e) {
            throw new CommandLine.TypeConversionException(e.getMessage());
        }
    }
}
