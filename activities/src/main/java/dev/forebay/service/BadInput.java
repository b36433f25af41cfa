package dev.forebay.service;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import dev.forebay.model.ErrorCode;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.ElementKind;
import jakarta.validation.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Describes invalid input: the field, its value, and the rule that it breaks. */
final class BadInput {

    private static final int LONGEST_VALUE = 100;

    /** Parameters that contain several fields and are no fields themselves. */
    private static final Set<String> HOLDERS = Set.of("body", "path", "query");

    /** The parameter of the only validated request header, whose name is no Java identifier. */
    private static final String KEY_PARAMETER = "idempotencyKey";

    private BadInput() {}

    static Problem of(ConstraintViolation<?> violation) {
        String field = field(violation);
        // A rule over several fields names one of them, and has no value of its own.
        Object value =
                violation.getInvalidValue() == violation.getLeafBean()
                        ? null
                        : violation.getInvalidValue();
        String detail =
                value == null
                        ? "%s %s".formatted(field, violation.getMessage())
                        : "%s '%s' %s".formatted(field, shortened(value), violation.getMessage());
        return Problem.of(ErrorCode.INVALID_ARGUMENT, detail, field);
    }

    static Problem of(JsonProcessingException failure) {
        return switch (failure) {
            case UnrecognizedPropertyException unknown ->
                    problem(
                            unknown,
                            "is not a field of this request, which has the fields "
                                    + unknown.getKnownPropertyIds().stream()
                                            .map(Object::toString)
                                            .sorted()
                                            .collect(Collectors.joining(", ")));
            case InvalidFormatException format ->
                    problem(
                            format,
                            "'%s' must be %s"
                                    .formatted(
                                            shortened(format.getValue()),
                                            expected(format.getTargetType())));
            case MismatchedInputException mismatch
                    when mismatch.getOriginalMessage().startsWith("Trailing token") ->
                    notJson("more text follows the JSON value");
            case MismatchedInputException mismatch ->
                    problem(mismatch, "must be " + expected(mismatch.getTargetType()));
            case JsonMappingException mapping
                    when mapping.getCause() instanceof InputCoercionException ->
                    problem(mapping, "is a number that is too large");
            case JsonMappingException mapping -> problem(mapping, "cannot be read");
            default -> notJson(failure.getOriginalMessage().replaceAll(" \\(start marker.*", ""));
        };
    }

    /** Returns the name of a field in the form of the request. */
    static String field(ConstraintViolation<?> violation) {
        List<String> names = new ArrayList<>();
        boolean isHolder = false;
        for (Path.Node node : violation.getPropertyPath()) {
            if (node.getKind() == ElementKind.PARAMETER) {
                isHolder = HOLDERS.contains(node.getName());
            }
            if (node.getKind() == ElementKind.PROPERTY
                    || (node.getKind() == ElementKind.PARAMETER && !isHolder)) {
                names.add(onTheWire(node.getName()));
            }
        }
        return names.isEmpty() ? "body" : String.join(".", names);
    }

    private static String onTheWire(String name) {
        return name.equals(KEY_PARAMETER)
                ? "Idempotency-Key"
                : SnakeCaseStrategy.INSTANCE.translate(name);
    }

    private static Problem notJson(String why) {
        return Problem.of(
                ErrorCode.INVALID_ARGUMENT, "the body is not JSON: %s".formatted(why), null);
    }

    private static Problem problem(JsonMappingException failure, String rule) {
        String path =
                failure.getPath().stream()
                        .map(JsonMappingException.Reference::getFieldName)
                        .map(name -> name == null ? "[]" : name)
                        .collect(Collectors.joining("."));
        String field = path.isEmpty() ? "body" : path;
        return Problem.of(ErrorCode.INVALID_ARGUMENT, field + " " + rule, field);
    }

    private static String expected(@Nullable Class<?> type) {
        if (type == null) {
            return "of another type";
        }
        if (type == long.class || type == Long.class || type == int.class) {
            return "a whole number";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        }
        if (type == Double.class) {
            return "a number";
        }
        if (List.class.isAssignableFrom(type)) {
            return "a list";
        }
        return type == String.class ? "a string" : "an object";
    }

    private static String shortened(@Nullable Object value) {
        String text = String.valueOf(value);
        return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "…";
    }
}
