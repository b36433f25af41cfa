package dev.forebay.system;

/**
 * The stack for classes without special needs. Its two regions use different transports, so that
 * tests cover both on every machine.
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
