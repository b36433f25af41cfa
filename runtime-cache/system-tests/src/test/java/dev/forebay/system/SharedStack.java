package dev.forebay.system;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Hands the one {@link RunningStack} to all tests that do not need a special one; tests keep apart
 * by using datasets of their own.
 */
final class SharedStack implements ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(SharedStack.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == RunningStack.class;
    }

    @Override
    public RunningStack resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(
                        RunningStack.class,
                        key -> RunningStack.start("shared", config -> {}),
                        RunningStack.class);
    }
}
