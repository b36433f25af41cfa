package dev.forebay.service;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.ConstraintViolationException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.util.Comparator;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Maps every failure of a request to an HTTP response. This is the only such mapper. */
final class ProblemMapper {

    /** Temporal, etcd and workers restart within seconds. */
    private static final int RETRY_AFTER_SECONDS = 2;

    private static final Logger LOG = Logger.getLogger(ProblemMapper.class);

    @ServerExceptionMapper
    Response forebay(ForebayException failure) {
        if (failure.code().category() == ErrorCode.Category.INTERNAL) {
            LOG.error("A request failed", failure);
        }
        return respond(Problem.of(failure));
    }

    @ServerExceptionMapper
    Response invalid(ConstraintViolationException failure) {
        ConstraintViolation<?> first =
                failure.getConstraintViolations().stream()
                        .min(
                                Comparator.<ConstraintViolation<?>, String>comparing(
                                                BadInput::field)
                                        .thenComparing(ConstraintViolation::getMessage))
                        .orElseThrow();
        return respond(BadInput.of(first));
    }

    /** Replaces Quarkus's own mapper for this class, which gives no detail. */
    @ServerExceptionMapper
    Response mismatched(MismatchedInputException failure) {
        return respond(BadInput.of(failure));
    }

    @ServerExceptionMapper
    Response unreadable(JsonProcessingException failure) {
        return respond(BadInput.of(failure));
    }

    @ServerExceptionMapper
    Response http(WebApplicationException failure) {
        if (failure.getCause() instanceof JsonProcessingException json) {
            return respond(BadInput.of(json));
        }
        Response answer = failure.getResponse();
        return Response.fromResponse(answer)
                .type(Problem.MEDIA_TYPE)
                .entity(HttpProblems.of(answer.getStatus()))
                .build();
    }

    @ServerExceptionMapper
    Response unexpected(Exception failure) {
        LOG.error("A request failed unexpectedly", failure);
        return respond(
                Problem.of(
                        ErrorCode.INTERNAL,
                        "an unexpected failure: see the log of the server",
                        null));
    }

    private static Response respond(Problem problem) {
        Response.ResponseBuilder response =
                Response.status(problem.status()).type(Problem.MEDIA_TYPE).entity(problem);
        if (problem.code() == ErrorCode.UNAVAILABLE && problem.retryable()) {
            response.header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
        }
        return response.build();
    }
}
