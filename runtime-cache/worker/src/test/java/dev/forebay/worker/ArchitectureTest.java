package dev.forebay.worker;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
        packages = "dev.forebay.worker",
        importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule FILL_KNOWS_NEITHER_HTTP_NOR_RETENTION =
            noClasses()
                    .that()
                    .resideInAPackage("..worker.fill..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("..worker.http..", "..worker.retention..");

    @ArchTest
    static final ArchRule RETENTION_DOES_NOT_KNOW_HTTP =
            noClasses()
                    .that()
                    .resideInAPackage("..worker.retention..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("..worker.http..");

    @ArchTest
    static final ArchRule VERTX_ONLY_AT_THE_HTTP_EDGE =
            noClasses()
                    .that()
                    .resideInAnyPackage("..worker.fill..", "..worker.retention..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.vertx..", "io.netty..");

    @ArchTest
    static final ArchRule QUARKUS_ONLY_IN_THE_WIRING =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("dev.forebay.worker")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.quarkus..", "jakarta..", "io.micrometer..", "org.eclipse..");

    @ArchTest
    static final ArchRule SDKS_STAY_IN_CORE =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("software.amazon..", "io.etcd..", "org.sqlite..");

    @ArchTest
    static final ArchRule THE_LAKE_IS_READ_BY_FILLS_ONLY =
            noClasses()
                    .that()
                    .resideInAnyPackage("..worker.http..", "..worker.retention..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("..forebay.lake..");
}
