package dev.forebay.devstack.fault;

/**
 * A host that a server on loopback seems to be on: it has a name, and two addresses of loopback
 * from which it is passed on to the server's port, the name being that of one or the other.
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
     * Makes one whose name is not known yet.
     *
     * @param port of the server
     */
    public static NamedHost of(NameServer names, String name, int port) {
        return new NamedHost(names, name, port);
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** Whether somebody has asked for its address since the name server last changed its ways. */
    public boolean wasAskedFor() {
        return names.wasAsked(name);
    }

    /** It is at its first address. */
    public void appear() {
        first.goOn();
        names.move(name, FIRST);
    }

    /** There is no such name any more; connections stay. */
    public void disappear() {
        names.remove(name);
    }

    /** It is at its second address, and nothing comes from the first one any more. */
    public void move() {
        first.fallSilent();
        names.move(name, SECOND);
    }

    /** Ends all connections; new ones are taken. */
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
