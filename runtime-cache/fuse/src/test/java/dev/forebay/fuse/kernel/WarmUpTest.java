package dev.forebay.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.fs.Attributes;
import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class WarmUpTest {

    private final AtomicInteger asked = new AtomicInteger();

    /** A tree without accessible content, as while no worker answers. */
    private final FileSystemView nothing =
            (FileSystemView)
                    Proxy.newProxyInstance(
                            FileSystemView.class.getClassLoader(),
                            new Class<?>[] {FileSystemView.class},
                            (_, method, _) ->
                                    switch (method.getName()) {
                                        case "isHere", "isLasting" -> true;
                                        case "outline" -> Optional.empty();
                                        case "describe" -> "something";
                                        case "getattr" ->
                                                new Attributes(FileSystemView.ROOT, true, 0, 0);
                                        default -> {
                                            asked.incrementAndGet();
                                            throw new ForebayException(
                                                    ErrorCode.UNAVAILABLE, "nobody answers");
                                        }
                                    });

    @Test
    void aFailedRehearsalLeavesNoThreadsRunning() {
        Set<Thread> before = serving();

        WarmUp.of(nothing);

        assertThat(asked).hasPositiveValue();
        assertThat(before).containsAll(serving());
    }

    /** Returns the threads that serve requests, including those of other tests. */
    private static Set<Thread> serving() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("fuse-"))
                .collect(Collectors.toSet());
    }
}
