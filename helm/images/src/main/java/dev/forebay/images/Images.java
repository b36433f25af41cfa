package dev.forebay.images;

import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes the images of the chart from the built programs, with their bills of materials. Equal
 * programs, JDK and packages make equal layers, byte by byte, except for AOT caches.
 */
public final class Images {

    private static final Pattern RELEASE = Pattern.compile("(?m)^appVersion: (\\S+)$");

    private final Path repository;
    private final Path output;
    private final JavaRuntime jdk = new JavaRuntime(Path.of(System.getProperty("java.home")));
    private final DebianLock lock = DebianLock.read();
    private final DebianArchive debian;

    private Images(Path repository, Path output) throws IOException {
        this.repository = repository;
        this.output = output;
        this.debian = new DebianArchive(cache());
    }

    /** Takes the repository, in which all programs must be built, and the output directory. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 2) {
            System.err.println("Usage: Images REPOSITORY OUTPUT");
            System.exit(2);
        }
        make(Path.of(arguments[0]).toAbsolutePath().normalize(), Path.of(arguments[1]));
    }

    /** Writes all images and replaces earlier ones. Fails if a library is vulnerable. */
    static void make(Path repository, Path output) throws IOException, InterruptedException {
        AdvisoryCheck.check(repository);
        Path absolute = Files.createDirectories(output).toRealPath();
        Path work = Directories.fresh(absolute.resolve("work"));
        try {
            new Images(repository, absolute).make(work);
        } finally {
            Directories.delete(work);
        }
    }

    private void make(Path work) throws IOException, InterruptedException {
        String tag = release();
        Path base = Files.createDirectory(work.resolve("base"));
        debian.unpack(lock.layer("base"), base);
        BaseImage.complete(base);
        Path java = work.resolve("java");
        jdk.link(java);
        Path trained = work.resolve("trained");
        System.out.println("creating AOT caches on a small stack, which takes about two minutes");
        Training.train(java, repository, trained);
        FileEntriesLayer baseLayer = BaseImage.layer(base);
        FileEntriesLayer javaLayer = new Tree(java, JavaRuntime.PLACE).layer("java", _ -> true);
        for (Program program : Program.ALL) {
            List<DebianPackage> packages = new ArrayList<>(lock.layer("base"));
            List<FileEntriesLayer> layers = new ArrayList<>(List.of(baseLayer, javaLayer));
            for (String more : program.debian()) {
                Path root = Files.createDirectory(work.resolve(more));
                debian.unpack(lock.layer(more), root);
                packages.addAll(lock.layer(more));
                layers.add(new Tree(root, "/").layer(more, BaseImage::isWanted));
            }
            layers.addAll(Application.layers(program.distribution(trained)));
            make(program, tag, layers, packages);
        }
    }

    private void make(
            Program program,
            String tag,
            List<FileEntriesLayer> layers,
            List<DebianPackage> packages)
            throws IOException, InterruptedException {
        Path archive = output.resolve(program.image() + "-" + tag + ".tar");
        String digest = ImageWriter.write(program, tag, layers, archive);
        Files.writeString(
                output.resolve(program.image() + "-" + tag + ".cdx.json"),
                BillOfMaterials.of(
                        program.image(),
                        tag,
                        digest,
                        program.bom(repository),
                        program.distribution(repository),
                        packages,
                        jdk));
        System.out.printf(
                "%s  %d MB  %s%n", archive.getFileName(), Files.size(archive) >> 20, digest);
    }

    /** Returns the default tag of the chart. */
    private String release() throws IOException {
        Matcher release =
                RELEASE.matcher(Files.readString(repository.resolve("helm/forebay/Chart.yaml")));
        if (!release.find()) {
            throw new IOException("the chart does not say of which release it is");
        }
        return release.group(1);
    }

    /** Returns the cache directory, which is in that of the devstack's tools. */
    private static Path cache() {
        String said = System.getenv().getOrDefault("FOREBAY_CACHE", "");
        Path cache =
                said.isEmpty()
                        ? Path.of(System.getProperty("user.home"), ".cache", "forebay")
                        : Path.of(said).toAbsolutePath();
        return cache.resolve("debian");
    }
}
