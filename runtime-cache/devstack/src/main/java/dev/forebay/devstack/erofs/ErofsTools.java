package dev.forebay.devstack.erofs;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.tool.Toolbox;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The programs of erofs-utils, which the authors of the format maintain. */
public final class ErofsTools {

    private final Path directory;

    public ErofsTools(Toolbox toolbox) {
        directory = toolbox.erofsUtils();
    }

    /**
     * Checks an image, and that all data which it points to are present. Returns the output.
     *
     * @throws DevstackException with the output, if the program finds an error
     */
    public String fsck(Path image, List<Path> devices) {
        return run("fsck.erofs", List.of("--extract"), image, devices);
    }

    /** Returns what {@code dump.erofs} prints about an image. */
    public String dump(Path image, List<Path> devices, String... options) {
        return run("dump.erofs", List.of(options), image, devices);
    }

    private String run(String program, List<String> options, Path image, List<Path> devices) {
        List<String> command = new ArrayList<>();
        command.add(directory.resolve(program).toString());
        command.addAll(options);
        Stream<String> extra = devices.stream().map(device -> "--device=" + device);
        command.addAll(extra.toList());
        command.add(image.toString());
        return ErofsProgram.run(command);
    }
}
