package dev.forebay.control.api;

import dev.forebay.service.Problem;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.media.Content;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;
import org.eclipse.microprofile.openapi.models.responses.APIResponses;

/**
 * Adds to the OpenAPI document the error responses that every operation has, and declares all error
 * responses as problem documents.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD)
public final class ProblemResponses implements OASFilter {

    private static final String FIRST_REFUSAL = "400";

    private static final Map<String, String> ALWAYS =
            Map.of(
                    "400", "INVALID_ARGUMENT, which names the field, or UNKNOWN_REGION",
                    "401", "DENIED: the request needs a token",
                    "406", "INVALID_ARGUMENT: responses are JSON",
                    "500", "INTERNAL or CORRUPT",
                    "503",
                            "UNAVAILABLE: a component does not answer. The field retryable tells "
                                    + "whether to retry");

    private static final Map<String, String> WITH_BODY =
            Map.of(
                    "413", "INVALID_ARGUMENT: the body is too large",
                    "415", "INVALID_ARGUMENT: the body is not JSON");

    @Override
    public Operation filterOperation(Operation operation) {
        APIResponses responses = operation.getResponses();
        addTo(responses, ALWAYS);
        if (operation.getRequestBody() != null) {
            addTo(responses, WITH_BODY);
        }
        Map<String, APIResponse> sorted = new TreeMap<>(responses.getAPIResponses());
        sorted.forEach(
                (status, response) -> {
                    if (status.compareTo(FIRST_REFUSAL) >= 0) {
                        response.setContent(problem());
                    }
                });
        responses.setAPIResponses(sorted);
        return operation;
    }

    /** Keeps the description that a resource gives for a status itself. */
    private static void addTo(APIResponses responses, Map<String, String> descriptions) {
        Map<String, APIResponse> present = responses.getAPIResponses();
        descriptions.forEach(
                (status, description) -> {
                    APIResponse said = present.get(status);
                    if (said == null || said.getDescription() == null) {
                        responses.addAPIResponse(
                                status, OASFactory.createAPIResponse().description(description));
                    }
                });
    }

    private static Content problem() {
        return OASFactory.createContent()
                .addMediaType(
                        Problem.MEDIA_TYPE,
                        OASFactory.createMediaType()
                                .schema(
                                        OASFactory.createSchema()
                                                .ref("#/components/schemas/Problem")));
    }
}
