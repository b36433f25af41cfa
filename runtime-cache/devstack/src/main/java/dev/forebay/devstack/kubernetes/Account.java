package dev.forebay.devstack.kubernetes;

import dev.forebay.devstack.server.Secrets;
import java.net.URI;
import java.nio.file.Path;

/**
 * A user whom the API server recognises by a token.
 *
 * @param group empty if the name alone determines the rights
 */
record Account(String name, String group, String token) {
    private static final String MAY_DO_ANYTHING = "system:masters";

    static Account unrestricted(String name) {
        return new Account(name, MAY_DO_ANYTHING, Secrets.random(16));
    }

    /** Returns an account with a name to which the API server itself grants rights. */
    static Account builtIn(String name) {
        return new Account(name, "", Secrets.random(16));
    }

    /** Returns the account's line for the token file of the API server. */
    String line() {
        String line = "%s,%s,%s".formatted(token, name, name);
        return group.isEmpty() ? line + "\n" : line + ",\"" + group + "\"\n";
    }

    /**
     * Returns the kubeconfig for the account's clients.
     *
     * @param authority the certificate of the authority that signed the server's certificate
     */
    String kubeconfig(URI server, Path authority) {
        return """
               apiVersion: v1
               kind: Config
               clusters:
                 - {name: devstack, cluster: {server: "%s", certificate-authority: "%s"}}
               users:
                 - {name: "%s", user: {token: "%s"}}
               contexts:
                 - {name: devstack, context: {cluster: devstack, user: "%s"}}
               current-context: devstack
               """
                .formatted(server, authority, name, token, name);
    }

    @Override
    public String toString() {
        return name;
    }
}
