package dev.forebay.system;

/**
 * The stack for classes that need no special one. Its two regions mount by different transports, so
 * that tests see both on every machine.
 */
final class SharedStack extends JvmStack {

    private static final class Holder {
        static final RunningStack STACK =
                start(
                        "shared",
                        config ->
                                config.regions(RunningStack.KOREA, RunningStack.VIRGINIA)
                                        .transport(RunningStack.KOREA, "kernel")
                                        .transport(RunningStack.VIRGINIA, "jnr"));
    }

    @Override
    RunningStack stack() {
        return Holder.STACK;
    }
}
