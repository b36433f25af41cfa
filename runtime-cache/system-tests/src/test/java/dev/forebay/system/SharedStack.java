package dev.forebay.system;

import dev.forebay.devstack.stack.StackConfig;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Hands the one {@link RunningStack} to all tests that do not need a special one; tests keep apart
 * by using datasets of their own. Each of its two regions mounts by another transport.
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
                        key -> RunningStack.start("shared", SharedStack::withBothTransports),
                        RunningStack.class);
    }

    /** Whichever this machine would choose, both are tried. */
    private static void withBothTransports(StackConfig.Builder config) {
        config.regions(RunningStack.KOREA, RunningStack.VIRGINIA)
                .transport(RunningStack.KOREA, "kernel")
                .transport(RunningStack.VIRGINIA, "jnr");
    }
}
