package dev.forebay.control;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Instant;

@AnalyzeClasses(
        packages = {
            "dev.forebay.control",
            "dev.forebay.agent",
            "dev.forebay.cleanup",
            "dev.forebay.operator",
            "dev.forebay.service"
        },
        importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule THE_CONTROL_PLANE_DOES_NOT_USE_THE_AGENT =
            noClasses()
                    .that()
                    .resideInAPackage("..forebay.control..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("..forebay.agent..");

    @ArchTest
    static final ArchRule THE_AGENT_DOES_NOT_USE_THE_CONTROL_PLANE =
            noClasses()
                    .that()
                    .resideInAPackage("..forebay.agent..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("..forebay.control..");

    @ArchTest
    static final ArchRule THE_SERVICE_PACKAGE_DOES_NOT_USE_ANY_ROLE =
            noClasses()
                    .that()
                    .resideInAPackage("..forebay.service..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "..forebay.control..",
                            "..forebay.agent..",
                            "..forebay.operator..",
                            "..forebay.cleanup..");

    /** The operator uses the control plane like any other client. */
    @ArchTest
    static final ArchRule THE_OPERATOR_REACHES_FOREBAY_ONLY_THROUGH_THE_API =
            noClasses()
                    .that()
                    .resideInAPackage("..forebay.operator..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "..forebay.control..",
                            "..forebay.agent..",
                            "..forebay.workflows..",
                            "io.temporal..");

    /** Decisions and reports of the operator are functions of what it observed. */
    @ArchTest
    static final ArchRule THE_DECISIONS_OF_THE_OPERATOR_ARE_PURE_FUNCTIONS =
            noClasses()
                    .that()
                    .haveNameMatching(
                            "dev\\.forebay\\.operator\\.(Planner|Plan|Step|Execution|Report|Conditions|DatasetEvent)(\\$.*)?")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.fabric8.kubernetes.client..",
                            "io.javaoperatorsdk..",
                            "java.net.http..")
                    .orShould()
                    .callMethod(Instant.class, "now");

    /** The agent, the control plane and plans get the same answer for the same input. */
    @ArchTest
    static final ArchRule RESERVATIONS_AND_THE_CHOICE_OF_VICTIMS_ARE_PURE_FUNCTIONS =
            noClasses()
                    .that()
                    .resideInAPackage("..service.space..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "..service.gateway..",
                            "..service.temporal..",
                            "..forebay.membership..",
                            "io.temporal..",
                            "jakarta..")
                    .orShould()
                    .callMethod(Instant.class, "now");

    @ArchTest
    static final ArchRule THE_CATALOGUE_DOES_NOT_USE_ETCD_THE_LAKE_OR_TEMPORAL =
            noClasses()
                    .that()
                    .resideInAPackage("..control.catalogue..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "..forebay.membership..",
                            "..forebay.lake..",
                            "..forebay.transfer..",
                            "..control.temporal..",
                            "..control.api..",
                            "..control.regions..",
                            "io.temporal..");

    @ArchTest
    static final ArchRule ONLY_THE_API_USES_ITSELF =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("..control.api..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("..control.api..");

    @ArchTest
    static final ArchRule THE_CONTROL_PLANE_DOES_NOT_USE_ETCD_OR_PLACEMENT =
            noClasses()
                    .that()
                    .resideInAPackage("..forebay.control..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("..forebay.membership..", "..forebay.placement..");

    @ArchTest
    static final ArchRule ONLY_THE_CATALOGUE_USES_THE_DATABASE =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("..control.catalogue..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "jakarta.persistence..",
                            "org.hibernate..",
                            "io.quarkus.hibernate..",
                            "java.sql..");

    @ArchTest
    static final ArchRule ONLY_LISTED_PACKAGES_USE_THE_TEMPORAL_CLIENT =
            noClasses()
                    .that()
                    .resideOutsideOfPackages(
                            "..control.temporal..",
                            "..control.requests..",
                            "..control.eviction..",
                            "..control.ingest..",
                            "..control.tracking..",
                            "..service.temporal..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("io.temporal.client..", "io.temporal.serviceclient..");

    @ArchTest
    static final ArchRule ONLY_THE_API_OF_THE_CONTROL_PLANE_USES_HTTP_SERVER_LIBRARIES =
            noClasses()
                    .that()
                    .resideInAnyPackage("..forebay.control..", "..service.temporal..")
                    .and()
                    .resideOutsideOfPackages("..control.api..", "..control.console..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("jakarta.ws.rs..", "io.vertx..", "org.jboss.resteasy..");

    /** "Clocks that differ". */
    @ArchTest
    static final ArchRule THE_AGENT_DOES_NOT_READ_ITS_WALL_CLOCK =
            noClasses()
                    .that()
                    .resideInAPackage("..forebay.agent..")
                    .should()
                    .callMethod(Instant.class, "now")
                    .orShould()
                    .callMethod(System.class, "currentTimeMillis");

    @ArchTest
    static final ArchRule ONLY_LISTED_PACKAGES_USE_THE_KUBERNETES_CLIENT =
            noClasses()
                    .that()
                    .resideOutsideOfPackages(
                            "..forebay.agent.jobs..",
                            "..forebay.cleanup..",
                            "..forebay.operator..",
                            "..service.kubernetes..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("io.fabric8..");

    @ArchTest
    static final ArchRule SDKS_STAY_IN_CORE =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("software.amazon..", "io.etcd..", "org.sqlite..");
}
