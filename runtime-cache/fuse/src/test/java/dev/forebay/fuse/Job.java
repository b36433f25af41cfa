package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.HeldMountFixture.Running;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process that works within a version. It has a working directory, open directories, a partly
 * listed directory and an {@code O_PATH} descriptor there. It reports whether it still sees what it
 * saw first.
 */
final class Job {

    private static final long TIMEOUT_SECONDS = 60;

    /** Looks again for each line that it reads, and lists the rest of the directory at the end. */
    private static final String PROGRAM =
            """
            import ctypes, hashlib, os, sys

            GETDENTS64 = 217
            libc = ctypes.CDLL(None, use_errno=True)
            root = sys.argv[1]

            def some_names(directory):
                buffer = ctypes.create_string_buffer(512)
                length = libc.syscall(GETDENTS64, directory, buffer, len(buffer))
                if length < 0:
                    raise OSError(ctypes.get_errno(), "getdents64")
                found, at = [], 0
                while at < length:
                    size = int.from_bytes(buffer.raw[at + 16 : at + 18], "little")
                    found.append(buffer.raw[at + 19 : at + size].split(b"\\0", 1)[0])
                    at += size
                return found

            def status(file):
                return os.stat(file)[:3]

            def content(file, directory=None):
                opened = os.open(file, os.O_RDONLY, dir_fd=directory)
                with os.fdopen(opened, "rb") as readable:
                    return hashlib.sha256(readable.read()).hexdigest()

            os.chdir(root + "/deep/1/b/c/d/e")
            up = "../../../../../.."
            folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
            handle = "/proc/self/fd/%d" % os.open(root + "/small/007", os.O_PATH)
            listing = os.open(root + "/small", os.O_RDONLY | os.O_DIRECTORY)
            listed = some_names(listing)

            def look():
                return [
                    os.getcwd(),
                    status("."),
                    status(".."),
                    status(up),
                    sorted(os.listdir("..")),
                    sorted(os.listdir(up)),
                    os.path.basename(root) in os.listdir(up + "/.."),
                    sorted(os.listdir(folder)),
                    status(folder),
                    status(handle),
                    content(handle),
                    content("f"),
                    content(up + "/small/008"),
                    content("small/009", folder),
                ]

            first = look()
            print("began", first, flush=True)
            for number, line in enumerate(sys.stdin, 1):
                try:
                    now = look()
                    more = some_names(listing)
                    listed += more
                    verdict = "the same" if now == first and more else "WRONG %s" % now
                except OSError as e:
                    verdict = "WRONG %r" % e
                print("looked", number, verdict, flush=True)
            while more := some_names(listing):
                listed += more
            right = len(listed) == len(set(listed)) == int(sys.argv[2]) + 2
            print("listed all" if right else "listed WRONG %s" % listed)
            """;

    private final Running process;
    private int looks;

    private Job(Running process) {
        this.process = process;
    }

    /**
     * Starts a job.
     *
     * @param root the version's folder
     * @param wrapper the start of its command line
     */
    static Job start(HeldMountFixture region, Path root, List<String> wrapper) throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(
                List.of(
                        "python3",
                        "-c",
                        PROGRAM,
                        root.toString(),
                        Integer.toString(CheckingReader.SMALL_FILES)));
        Running process = region.start("job", command);
        process.await("began");
        return new Job(process);
    }

    /** Makes it look, and checks its report. */
    void look() throws IOException {
        looks++;
        OutputStream input = process.process().getOutputStream();
        input.write("look\n".getBytes(StandardCharsets.US_ASCII));
        input.flush();
        process.await("looked " + looks + " ");
        assertThat(process.printed()).doesNotContain("WRONG");
    }

    /** Ends it, and checks its report. */
    void end() throws Exception {
        process.process().getOutputStream().close();
        assertThat(process.process().waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.printed()).contains("listed all").doesNotContain("WRONG");
    }
}
