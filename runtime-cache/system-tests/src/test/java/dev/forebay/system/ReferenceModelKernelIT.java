package dev.forebay.system;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The reference model over the kernel transport, in each view. */
class ReferenceModelKernelIT extends ReferenceModel {

    @ParameterizedTest
    @EnumSource(names = {"PORTABLE_KERNEL", "ON_DEMAND_KERNEL", "NATIVE_KERNEL"})
    void everyReadIsRight(ModelSetup setup) throws Exception {
        run(setup);
    }
}
