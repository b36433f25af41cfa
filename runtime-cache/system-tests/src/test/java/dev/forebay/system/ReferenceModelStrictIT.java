package dev.forebay.system;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The reference model with verification of every read, and with a cache that is too small for all
 * versions.
 */
class ReferenceModelStrictIT extends ReferenceModel {

    @ParameterizedTest
    @EnumSource(names = {"CROWDED_KERNEL", "STRICT_KERNEL", "STRICT_ON_DEMAND_KERNEL"})
    void everyReadIsRight(ModelSetup setup) throws Exception {
        run(setup);
    }
}
