package dev.forebay.devstack.server;

import java.nio.file.Path;

/** What the servers that are one process have in common. */
public abstract class OneProcessServer implements Server {
    private final ServerProcess process;

    protected OneProcessServer(ServerProcess process) {
        this.process = process;
    }

    @Override
    public String name() {
        return process.name();
    }

    @Override
    public Path log() {
        return process.log();
    }

    /** The id of the process now. */
    public long pid() {
        return process.pid();
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void kill9() {
        process.kill9();
    }

    @Override
    public void pause() {
        process.pause();
    }

    @Override
    public void resume() {
        process.resume();
    }

    @Override
    public void restart() {
        process.restart();
    }

    @Override
    public void close() {
        process.close();
    }
}
