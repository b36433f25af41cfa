package dev.forebay.system;

import dev.forebay.devstack.stack.StackConfig;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Hands the one {@link RunningStack} of this JVM to all tests that do not need a special one; tests
 * keep apart by using datasets of their own. Each of its two regions mounts by another transport.
 *
 * <p>The build may ask JUnit for one class after the other, so what is kept for a request would be
 * made anew for each class.
 */
final class SharedStack implements ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(SharedStack.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == RunningStack.class;
    }

    @Override
    public RunningStack resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Object request =
                context.getStore(StoreScope.EXECUTION_REQUEST, NAMESPACE)
                        .getOrComputeIfAbsent(Object.class, key -> new Object(), Object.class);
        return context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
                .getOrComputeIfAbsent(Lasting.class, key -> new Lasting(), Lasting.class)
                .stackOf(context.getRequiredTestClass(), request);
    }

    /** Whichever this machine would choose, both are tried. */
    private static void withBothTransports(StackConfig.Builder config) {
        config.regions(RunningStack.KOREA, RunningStack.VIRGINIA)
                .transport(RunningStack.KOREA, "kernel")
                .transport(RunningStack.VIRGINIA, "jnr");
    }

    /** Is there until all requests are done. */
    private static final class Lasting implements AutoCloseable {

        /** In which request each class was given the stack. */
        private final Map<Class<?>, Object> users = new HashMap<>();

        private @Nullable RunningStack stack;

        /** A class that comes again in another request has failed, and gets one new to it. */
        synchronized RunningStack stackOf(Class<?> user, Object request) {
            Object before = users.putIfAbsent(user, request);
            if (before != null && !before.equals(request)) {
                close();
                users.clear();
                users.put(user, request);
            }
            RunningStack running = stack;
            if (running == null) {
                running = RunningStack.start("shared", SharedStack::withBothTransports);
                stack = running;
            }
            return running;
        }

        @Override
        public synchronized void close() {
            RunningStack running = stack;
            if (running != null) {
                stack = null;
                running.close();
            }
        }
    }
}
