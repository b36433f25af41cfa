package dev.forebay.devstack.stack;

import dev.forebay.devstack.mount.MountRights;
import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.program.Program;
import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.devstack.tool.Toolbox;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;

/** Starts the parts of a stack, each as soon as its dependencies are ready. */
final class Startup {
    /** The started parts. */
    record Parts(BackingServers backing, List<Region> regions, QuarkusProcess controlPlane) {}

    private record Starting(
            String name,
            Future<Optional<EtcdServer>> etcd,
            List<Future<QuarkusProcess>> workers,
            Future<QuarkusProcess> agent,
            Future<FuseMount> fuse) {}

    private final StackConfig config;
    private final Layout layout;
    private final Tasks tasks;
    private final StackPorts ports;
    private final Settings settings;
    private final Optional<StackTls> tls;
    private final Repository repository;
    private final Optional<Path> fuseLibrary;

    /** Checks that Forebay's programs are built, and obtains the tools for a mount. */
    Startup(StackConfig config, Layout layout, Tasks tasks) {
        this.config = config;
        this.layout = layout;
        this.tasks = tasks;
        this.ports = config.ports();
        this.tls = config.workersSpeakTls() ? Optional.of(StackTls.in(layout)) : Optional.empty();
        this.settings = new Settings(config, layout, tls);
        this.repository = Repository.current();
        for (Program program : Program.values()) {
            Path _ = repository.jar(program);
        }
        MountRights.ofThisProcess().check().ifPresent(config.progress());
        this.fuseLibrary = Toolbox.ofThisMachine().libfuse2();
    }

    Parts all() {
        BackingServers backing = new BackingServers(config, layout, tasks);
        List<Starting> starting = new ArrayList<>();
        for (int i = 0; i < config.regions().size(); i++) {
            starting.add(region(i, config.regions().get(i), backing));
        }
        Future<QuarkusProcess> controlPlane =
                tasks.start("control plane", () -> controlPlane(backing));
        return new Parts(
                backing, starting.stream().map(this::started).toList(), tasks.get(controlPlane));
    }

    private Starting region(int index, String name, BackingServers backing) {
        Future<Optional<EtcdServer>> etcd = backing.etcd(index, name);
        List<Future<QuarkusProcess>> workers = new ArrayList<>();
        for (int i = 0; i < config.workersPerRegion(); i++) {
            int worker = i;
            workers.add(
                    tasks.start(
                            "worker %d of %s".formatted(worker, name),
                            () -> worker(index, name, worker, etcd, backing)));
        }
        Future<QuarkusProcess> agent =
                tasks.start("agent of " + name, () -> agent(index, name, etcd, backing));
        Future<FuseMount> fuse =
                tasks.start("mount of " + name, () -> fuse(index, name, etcd, backing));
        return new Starting(name, etcd, workers, agent, fuse);
    }

    private QuarkusProcess controlPlane(BackingServers backing) {
        ExternalServers.LakeAddress lake = backing.lakeAddress();
        ExternalServers.PostgresAddress database = backing.postgresAddress();
        return QuarkusProcess.start(
                "control-plane",
                layout.controlPlane(),
                service(Program.CONTROL_PLANE, "control-plane"),
                ports.api(),
                Optional.empty(),
                settings.controlPlane(lake, backing.temporalAddress(), database),
                settings.secrets(lake, database),
                config.clocks().controlPlane(),
                config.lifetime());
    }

    private QuarkusProcess worker(
            int region,
            String name,
            int index,
            Future<Optional<EtcdServer>> etcd,
            BackingServers backing) {
        ExternalServers.LakeAddress lake = backing.lakeAddress();
        return QuarkusProcess.start(
                "worker",
                layout.worker(name, index),
                ofBytes(Program.WORKER),
                ports.worker(region, index),
                tls.map(those -> those.authority().context()),
                settings.worker(name, index, backing.endpoints(etcd), lake),
                settings.secrets(lake),
                config.clocks().workers(),
                config.lifetime());
    }

    private FuseMount fuse(
            int region, String name, Future<Optional<EtcdServer>> etcd, BackingServers backing) {
        return FuseMount.start(
                name,
                backing.endpoints(etcd),
                layout,
                ofBytes(Program.POD),
                command(Program.HOLDER),
                fuseLibrary,
                Optional.ofNullable(config.transports().get(name)),
                accessOfPods(),
                ports.fuseMetrics(region),
                config.lifetime());
    }

    /** Returns the options by which a pod trusts the workers, and the workers trust the pod. */
    private Map<String, String> accessOfPods() {
        Map<String, String> options = new LinkedHashMap<>();
        tls.ifPresent(
                those -> options.put("--worker-ca", those.authority().certificate().toString()));
        config.tokenFile().ifPresent(file -> options.put("--token-file", file.toString()));
        return options;
    }

    private QuarkusProcess agent(
            int region, String name, Future<Optional<EtcdServer>> etcd, BackingServers backing) {
        ExternalServers.LakeAddress lake = backing.lakeAddress();
        return QuarkusProcess.start(
                "agent",
                layout.agent(name),
                service(Program.AGENT, "agent"),
                ports.agent(region),
                Optional.empty(),
                settings.agent(name, backing.endpoints(etcd), lake, backing.temporalAddress()),
                settings.agentEnvironment(lake),
                config.clocks().agents(),
                config.lifetime());
    }

    /**
     * Returns the command of a control plane or agent. The role must be a system property, because
     * Quarkus needs it before it reads the settings file. These programs move no data and do
     * without the second compiler. A training run needs it, because later starts use its profiles.
     */
    private JavaCommand service(Program program, String role) {
        JavaCommand command = command(program).options("-Dforebay.role=" + role);
        return config.training() ? command : command.withoutSecondCompiler();
    }

    /**
     * Returns the command of a program that moves data. In a short-lived stack it does without the
     * second compiler, unless it encrypts: the first compiler does not use the processor's AES.
     */
    private JavaCommand ofBytes(Program program) {
        boolean quick = config.shortLived() && tls.isEmpty();
        return quick ? command(program).withoutSecondCompiler() : command(program);
    }

    private JavaCommand command(Program program) {
        JavaCommand command = repository.command(program);
        return config.training() ? command.recording() : command;
    }

    private Region started(Starting starting) {
        return new Region(
                starting.name(),
                tasks.get(starting.etcd()),
                starting.workers().stream().map(tasks::get).toList(),
                tasks.get(starting.agent()),
                tasks.get(starting.fuse()));
    }
}
