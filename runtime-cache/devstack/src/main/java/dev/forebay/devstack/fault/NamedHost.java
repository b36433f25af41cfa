package dev.forebay.devstack.fault;

/**
 * A host name for a server on loopback. The host can move between two loopback addresses, and a
 * relay at each of them passes connections on to the server's port.
 */
public final class NamedHost implements AutoCloseable {

    private static final String FIRST = "127.0.0.2";
    private static final String SECOND = "127.0.0.3";

    private final NameServer names;
    private final String name;
    private final Relay first;
    private final Relay second;

    private NamedHost(NameServer names, String name, int port) {
        this.names = names;
        this.name = name;
        this.first = Relay.before(port, FIRST);
        this.second = Relay.before(port, SECOND);
    }

    /**
     * Returns a host that the name server does not know yet.
     *
     * @param port of the server
     */
    public static NamedHost of(NameServer names, String name, int port) {
        return new NamedHost(names, name, port);
    }

    /** Returns the name. */
    public String name() {
        return name;
    }

    /**
     * Returns whether a client has asked for the address since the name server last changed how it
     * answers.
     */
    public boolean wasAskedFor() {
        return names.wasAsked(name);
    }

    /** Gives the host its first address. */
    public void appear() {
        first.goOn();
        names.move(name, FIRST);
    }

    /** Removes the name. Connections stay. */
    public void disappear() {
        names.remove(name);
    }

    /** Gives the host its second address, and silences the first one. */
    public void move() {
        first.fallSilent();
        names.move(name, SECOND);
    }

    /** Ends all connections. The host accepts new ones. */
    public void breakConnections() {
        first.breakConnections();
        second.breakConnections();
    }

    @Override
    public void close() {
        first.close();
        second.close();
    }
}
