package dev.forebay.devstack.cli;

import dev.forebay.devstack.stack.Addresses;
import java.io.PrintWriter;

/** Prints the addresses of a stack for people. */
final class AddressTable {
    private AddressTable() {}

    static void print(Addresses addresses, PrintWriter out) {
        row(out, "API", addresses, "api", "/api/v1 (OpenAPI: /q/openapi, metrics: /q/metrics)");
        row(out, "Console", addresses, "console", "");
        row(out, "Temporal UI", addresses, "temporal.ui", "");
        row(out, "Temporal", addresses, "temporal", "");
        row(out, "PostgreSQL", addresses, "postgres", "");
        row(out, "Lake (S3)", addresses, "lake", "");
        row(out, "  credentials", addresses, "lake.credentials", "");
        row(out, "  access log", addresses, "lake.access-log", "");
        for (String region : addresses.regions()) {
            out.println(region);
            row(out, "  mount", addresses, region + ".mount", "");
            row(out, "  FUSE metrics", addresses, region + ".fuse-metrics", "");
            row(out, "  agent", addresses, region + ".agent", "");
            for (int i = 0; addresses.get(region + ".worker-" + i).isPresent(); i++) {
                row(out, "  worker " + i, addresses, region + ".worker-" + i, "");
            }
        }
    }

    private static void row(
            PrintWriter out, String label, Addresses addresses, String name, String more) {
        addresses.get(name).ifPresent(value -> out.printf("%-16s%s%s%n", label, value, more));
    }
}
