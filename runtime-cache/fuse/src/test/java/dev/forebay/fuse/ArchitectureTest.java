package dev.forebay.fuse;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.forebay.chunkstore.ChunkStore;

/** The permitted dependencies within the FUSE pod; {@code docs/architecture.md}, "Modules". */
@AnalyzeClasses(packages = "dev.forebay", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule OPERATIONS_KNOW_NO_TRANSPORT_AND_NO_NETWORK =
            noClasses()
                    .that()
                    .resideInAPackage("dev.forebay.fuse.fs..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.forebay.fuse",
                            "dev.forebay.fuse.jnr..",
                            "dev.forebay.fuse.kernel..",
                            "dev.forebay.fuse.linux..",
                            "dev.forebay.fuse.nodecache..",
                            "dev.forebay.fuse.read..",
                            "dev.forebay.transfer..",
                            "java.net..");

    @ArchTest
    static final ArchRule THE_READ_PATH_KNOWS_NO_TRANSPORT =
            noClasses()
                    .that()
                    .resideInAPackage("dev.forebay.fuse.read..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.forebay.fuse",
                            "dev.forebay.fuse.jnr..",
                            "dev.forebay.fuse.kernel..",
                            "dev.forebay.fuse.linux..");

    @ArchTest
    static final ArchRule THE_NODE_CACHE_KNOWS_NO_TRANSPORT_AND_NO_NETWORK =
            noClasses()
                    .that()
                    .resideInAPackage("dev.forebay.fuse.nodecache..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.forebay.fuse",
                            "dev.forebay.fuse.jnr..",
                            "dev.forebay.fuse.kernel..",
                            "dev.forebay.transfer..",
                            "java.net..");

    @ArchTest
    static final ArchRule A_TRANSPORT_KNOWS_ONLY_THE_OPERATIONS =
            noClasses()
                    .that()
                    .resideInAnyPackage(
                            "dev.forebay.fuse.hold..",
                            "dev.forebay.fuse.jnr..",
                            "dev.forebay.fuse.kernel..",
                            "dev.forebay.fuse.linux..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.forebay.fuse",
                            "dev.forebay.fuse.nodecache..",
                            "dev.forebay.fuse.read..",
                            "dev.forebay.manifest..",
                            "dev.forebay.membership..",
                            "dev.forebay.transfer..");

    @ArchTest
    static final ArchRule ONLY_THE_TRANSPORT_KNOWS_JNR =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.forebay.fuse.jnr..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("ru.serce..", "jnr..");

    @ArchTest
    static final ArchRule THE_CSI_DRIVER_KNOWS_NO_CACHE_NO_TRANSPORT_AND_NO_REGION =
            noClasses()
                    .that()
                    .resideInAPackage("dev.forebay.fuse.csi..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.forebay.fuse",
                            "dev.forebay.fuse.fs..",
                            "dev.forebay.fuse.hold..",
                            "dev.forebay.fuse.jnr..",
                            "dev.forebay.fuse.kernel..",
                            "dev.forebay.fuse.nodecache..",
                            "dev.forebay.fuse.read..",
                            "dev.forebay.manifest..",
                            "dev.forebay.membership..",
                            "dev.forebay.transfer..");

    @ArchTest
    static final ArchRule ONLY_THE_DRIVER_SPEAKS_GRPC =
            noClasses()
                    .that()
                    .resideInAPackage("dev.forebay.fuse..")
                    .and()
                    .resideOutsideOfPackage("dev.forebay.fuse.csi..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("dev.forebay.csi..", "io.grpc..", "io.netty..");

    @ArchTest
    static final ArchRule A_NODE_NEITHER_READS_THE_LAKE_NOR_STORES_CHUNKS =
            noClasses()
                    .that()
                    .resideInAPackage("dev.forebay.fuse..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.forebay.lake..", "io.etcd..", "software.amazon..", "java.sql..")
                    .orShould()
                    .dependOnClassesThat()
                    .areAssignableTo(ChunkStore.class);
}
