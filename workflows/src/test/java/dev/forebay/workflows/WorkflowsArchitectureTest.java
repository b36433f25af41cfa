package dev.forebay.workflows;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.util.Random;
import java.util.UUID;

@AnalyzeClasses(
        packages = {"dev.forebay.workflows", "dev.forebay.lifecycle"},
        importOptions = ImportOption.DoNotIncludeTests.class)
class WorkflowsArchitectureTest {

    @ArchTest
    static final ArchRule workflowsUseOnlyTheModelAndTemporal =
            classes()
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "dev.forebay.model",
                            "dev.forebay.workflows..",
                            "dev.forebay.lifecycle..",
                            "io.temporal..",
                            "org.jspecify..",
                            "org.slf4j..",
                            "java.lang..",
                            "java.util..",
                            "java.time..");

    @ArchTest
    static final ArchRule workflowsUseNoInputOutputAndNoThreads =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "java.io..",
                            "java.nio..",
                            "java.net..",
                            "java.sql..",
                            "java.util.concurrent..");

    @ArchTest
    static final ArchRule workflowsTakeTimeAndRandomNumbersFromTemporal =
            noClasses()
                    .should()
                    .callMethod(Instant.class, "now")
                    .orShould()
                    .callMethod(System.class, "currentTimeMillis")
                    .orShould()
                    .callMethod(System.class, "nanoTime")
                    .orShould()
                    .callMethod(Thread.class, "sleep", long.class)
                    .orShould()
                    .callMethod(UUID.class, "randomUUID")
                    .orShould()
                    .dependOnClassesThat()
                    .areAssignableTo(Random.class)
                    .orShould()
                    .dependOnClassesThat()
                    .areAssignableTo(Clock.class);

    @ArchTest
    static final ArchRule lifecycleUsesNeitherTemporalNorWorkflows =
            noClasses()
                    .that()
                    .resideInAPackage("dev.forebay.lifecycle..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.temporal..",
                            "dev.forebay.workflows",
                            "dev.forebay.workflows.activity..");

    @ArchTest
    static final ArchRule packagesFormNoCycles =
            slices().matching("dev.forebay.(**)").should().beFreeOfCycles();
}
