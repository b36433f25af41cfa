package dev.forebay.devstack.server;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.net.Proxy;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** An etcd cluster of three members, each a process of its own. It works without one of them. */
public final class EtcdCluster implements AutoCloseable {

    private static final int MEMBERS = 3;

    private static final Pattern LEADS = Pattern.compile("(?m)^etcd_server_is_leader (\\d)");

    private final List<EtcdServer> members;

    private EtcdCluster(List<EtcdServer> members) {
        this.members = members;
    }

    private record Plan(String name, URI endpoint, URI peer) {

        static Plan of(int index) {
            return new Plan(
                    "m" + index,
                    URI.create("http://127.0.0.1:" + Ports.free()),
                    URI.create("http://127.0.0.1:" + Ports.free()));
        }
    }

    /** Starts a cluster on free ports. It ends with this JVM at the latest. */
    public static EtcdCluster start(Path directory) {
        List<Plan> plans = IntStream.range(0, MEMBERS).mapToObj(Plan::of).toList();
        String cluster =
                plans.stream()
                        .map(plan -> plan.name + "=" + plan.peer)
                        .collect(Collectors.joining(","));
        // All at once, because no member is ready before two run.
        List<CompletableFuture<EtcdServer>> starting =
                plans.stream()
                        .map(
                                plan ->
                                        CompletableFuture.supplyAsync(
                                                () ->
                                                        EtcdServer.member(
                                                                directory.resolve(plan.name),
                                                                plan.name,
                                                                plan.endpoint,
                                                                plan.peer,
                                                                cluster),
                                                task -> Thread.ofVirtual().start(task)))
                        .toList();
        return new EtcdCluster(starting.stream().map(CompletableFuture::join).toList());
    }

    /** Returns the members. */
    public List<EtcdServer> members() {
        return members;
    }

    /** Returns the addresses for clients, separated by commas. */
    public String endpoints() {
        return members.stream()
                .map(member -> member.endpoint().toString())
                .collect(Collectors.joining(","));
    }

    /**
     * Returns the leader. All members must run.
     *
     * @throws DevstackException if there is no leader at the moment
     */
    public EtcdServer leader() {
        return members.stream()
                .filter(EtcdCluster::leads)
                .findFirst()
                .orElseThrow(() -> new DevstackException("etcd has no leader"));
    }

    private static boolean leads(EtcdServer member) {
        try {
            URLConnection connection =
                    member.endpoint().resolve("/metrics").toURL().openConnection(Proxy.NO_PROXY);
            try (var in = connection.getInputStream()) {
                Matcher leads =
                        LEADS.matcher(new String(in.readAllBytes(), StandardCharsets.UTF_8));
                return leads.find() && leads.group(1).equals("1");
            }
        } catch (IOException e) {
            throw new DevstackException(member.name() + " does not report whether it leads", e);
        }
    }

    @Override
    public void close() {
        members.forEach(EtcdServer::close);
    }
}
