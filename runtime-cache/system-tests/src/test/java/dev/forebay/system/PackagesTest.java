package dev.forebay.system;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The packages of all modules: each is small, and none depends on itself through others. */
class PackagesTest {
    private static final int MOST_CLASSES = 25;

    /** Will be divided with the next changes of the byte path. */
    private static final Set<String> LARGER =
            Set.of("dev.forebay.transfer", "dev.forebay.fuse.nodecache");

    private static final List<String> MODULES =
            List.of(
                    "runtime-cache/core",
                    "runtime-cache/settings",
                    "runtime-cache/worker",
                    "runtime-cache/fuse",
                    "runtime-cache/devstack",
                    "runtime-cache/suite",
                    "runtime-cache/benchmarks",
                    "helm/images",
                    "workflows",
                    "activities");

    private static Path classes(String module) {
        Path classes = Path.of("../..").resolve(module).resolve("target/classes");
        assertThat(Files.isDirectory(classes)).as("%s is built", module).isTrue();
        return classes;
    }

    private static JavaClasses all() {
        return new ClassFileImporter()
                .importPaths(MODULES.stream().map(PackagesTest::classes).toList());
    }

    private static boolean isTopLevel(JavaClass type) {
        return type.getEnclosingClass().isEmpty() && !type.getSimpleName().equals("package-info");
    }

    @Test
    void noPackageDependsOnItselfThroughOthers() {
        slices().assignedFrom(
                        new SliceAssignment() {
                            @Override
                            public SliceIdentifier getIdentifierOf(JavaClass type) {
                                return type.getPackageName().startsWith("dev.forebay")
                                        ? SliceIdentifier.of(type.getPackageName())
                                        : SliceIdentifier.ignore();
                            }

                            @Override
                            public String getDescription() {
                                return "packages";
                            }
                        })
                .should()
                .beFreeOfCycles()
                .check(all());
    }

    @Test
    void noPackageHasMoreThan25Classes() {
        Map<String, Long> counts =
                all().stream()
                        .filter(PackagesTest::isTopLevel)
                        .collect(
                                Collectors.groupingBy(
                                        JavaClass::getPackageName,
                                        TreeMap::new,
                                        Collectors.counting()));
        assertThat(counts).hasSizeGreaterThan(50);
        counts.values().removeIf(count -> count <= MOST_CLASSES);
        assertThat(counts.keySet()).isEqualTo(new TreeSet<>(LARGER));
    }

    /** A reader must know a class by its name within a module. */
    @Test
    void noTwoClassesOfAModuleHaveOneName() {
        for (String module : MODULES) {
            Map<String, List<String>> names =
                    new ClassFileImporter()
                            .importPath(classes(module)).stream()
                                    .filter(PackagesTest::isTopLevel)
                                    .collect(
                                            Collectors.groupingBy(
                                                    JavaClass::getSimpleName,
                                                    TreeMap::new,
                                                    Collectors.mapping(
                                                            JavaClass::getName,
                                                            Collectors.toList())));
            names.values().removeIf(same -> same.size() == 1);
            assertThat(names).as(module).isEmpty();
        }
    }

    /**
     * An error is handled where all threads, retries and parallel calls are. The exceptions call
     * the C library, answer the kernel without memory, lower their use of memory when it runs out,
     * report a failure of the test runner, or are called by a library that never calls again after
     * an error.
     */
    @Test
    void onlyThePackageForThreadsCatchesErrors() throws IOException {
        Pattern catches = Pattern.compile("catch \\([\\w| ]*(?:Error|Throwable) \\w+\\)");
        Set<String> catching = new TreeSet<>();
        for (String module : MODULES) {
            try (Stream<Path> sources =
                    Files.walk(Path.of("../..").resolve(module).resolve("src/main/java"))) {
                for (Path source : sources.filter(Files::isRegularFile).toList()) {
                    if (!source.toString().contains("dev/forebay/thread/")
                            && catches.matcher(Files.readString(source)).find()) {
                        catching.add(source.getFileName().toString());
                    }
                }
            }
        }
        assertThat(catching)
                .containsExactly(
                        "AnswerPool.java",
                        "CLibrary.java",
                        "DatasetReconciler.java",
                        "JnrTransport.java",
                        "PieceCache.java",
                        "RequestThreads.java",
                        "Slots.java",
                        "SlowLookups.java",
                        "SlowReads.java",
                        "SystemCalls.java",
                        "UpcallGuard.java");
    }
}
