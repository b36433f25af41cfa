package dev.forebay.system;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The reference model over libfuse, in each view. */
class ReferenceModelJnrIT extends ReferenceModel {

    @ParameterizedTest
    @EnumSource(names = {"PORTABLE_JNR", "ON_DEMAND_JNR", "NATIVE_JNR"})
    void everyReadIsRight(ModelSetup setup) throws Exception {
        run(setup);
    }
}
