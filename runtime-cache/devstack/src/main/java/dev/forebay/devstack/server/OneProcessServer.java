package dev.forebay.devstack.server;

import java.nio.file.Path;

/** Base class of servers that consist of one process. */
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

    /** Returns the id of the current process. */
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
