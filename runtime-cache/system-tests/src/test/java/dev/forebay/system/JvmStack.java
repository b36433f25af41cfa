package dev.forebay.system;

import dev.forebay.devstack.stack.StackConfig;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Passes a {@link RunningStack} to test classes that share it. The first class starts it, and it
 * ends with the JVM. Each class uses its own namespace.
 */
abstract class JvmStack implements ParameterResolver {

    /** Starts a stack that ends with the JVM. */
    static RunningStack start(String name, Consumer<StackConfig.Builder> change) {
        RunningStack stack = RunningStack.start(name, change);
        Runtime.getRuntime().addShutdownHook(new Thread(stack::close, name + "-stack"));
        return stack;
    }

    /** Returns the stack. The first call starts it. */
    abstract RunningStack stack();

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == RunningStack.class;
    }

    @Override
    public RunningStack resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return stack();
    }
}
