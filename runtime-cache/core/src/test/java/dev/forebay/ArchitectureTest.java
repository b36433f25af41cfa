package dev.forebay;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Instant;

/** The dependencies between core's packages, as in docs/architecture.md. */
@AnalyzeClasses(packages = "dev.forebay", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule onlyLakeUsesTheAwsSdk =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.forebay.lake..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("software.amazon..", "org.reactivestreams..");

    @ArchTest
    static final ArchRule theLakeInterfacesDoNotUseTheAwsSdk =
            noClasses()
                    .that()
                    .resideInAPackage("dev.forebay.lake")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("software.amazon..");

    @ArchTest
    static final ArchRule onlyMembershipUsesEtcd =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.forebay.membership..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("io.etcd..");

    @ArchTest
    static final ArchRule onlyTlsUsesVertx =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.forebay.tls..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("io.vertx..");

    /** "Clocks that differ": pins and workers depend on etcd's leases and on monotonic time. */
    @ArchTest
    static final ArchRule membershipDoesNotReadTheWallClock =
            noClasses()
                    .that()
                    .resideInAPackage("dev.forebay.membership..")
                    .should()
                    .callMethod(Instant.class, "now")
                    .orShould()
                    .callMethod(System.class, "currentTimeMillis");

    @ArchTest
    static final ArchRule onlyManifestUsesSqlite =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.forebay.manifest..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("org.sqlite..", "java.sql..");

    @ArchTest
    static final ArchRule modelDependsOnNoOtherPackage =
            classes()
                    .that()
                    .resideInAPackage("dev.forebay.model..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage("dev.forebay.model..", "java..", "org.jspecify..");

    @ArchTest
    static final ArchRule chunkStoreDependsOnlyOnLinuxModelAndThread =
            classes()
                    .that()
                    .resideInAPackage("dev.forebay.chunkstore..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.forebay.chunkstore..",
                            "dev.forebay.linux..",
                            "dev.forebay.model..",
                            "dev.forebay.thread..",
                            "java..",
                            "org.jspecify..",
                            "org.slf4j..");

    @ArchTest
    static final ArchRule imageDependsOnlyOnLinuxManifestAndModel =
            classes()
                    .that()
                    .resideInAPackage("dev.forebay.image..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.forebay.image..",
                            "dev.forebay.linux..",
                            "dev.forebay.manifest..",
                            "dev.forebay.model..",
                            "java..",
                            "org.jspecify..");

    @ArchTest
    static final ArchRule placementDependsOnlyOnModel =
            classes()
                    .that()
                    .resideInAPackage("dev.forebay.placement..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.forebay.placement..",
                            "dev.forebay.model..",
                            "java..",
                            "org.jspecify..");

    @ArchTest
    static final ArchRule transferUsesNeitherChunkStoreNorLake =
            noClasses()
                    .that()
                    .resideInAPackage("dev.forebay.transfer..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("dev.forebay.chunkstore..", "dev.forebay.lake..");

    @ArchTest
    static final ArchRule coreDoesNotUseQuarkus =
            noClasses().should().dependOnClassesThat().resideInAPackage("io.quarkus..");

    @ArchTest
    static final ArchRule packagesFormNoCycles =
            slices().matching("dev.forebay.(*)..").should().beFreeOfCycles();
}
