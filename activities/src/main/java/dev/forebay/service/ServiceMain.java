package dev.forebay.service;

import dev.forebay.membership.EtcdClientFiles;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;

/** The program, in either role. */
@QuarkusMain
public final class ServiceMain {

    private ServiceMain() {}

    public static void main(String[] arguments) {
        EtcdClientFiles.disable();
        Quarkus.run(arguments);
    }
}
