package dev.forebay.settings;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.ConfigMapping.NamingStrategy;
import io.smallrye.config.ConfigMappingInterface.Property;
import io.smallrye.config.ConfigValidationException;
import io.smallrye.config.ConfigValidationException.Problem;
import io.smallrye.config.validator.BeanValidationConfigValidator;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.Validation;
import jakarta.validation.Validator;
import jakarta.validation.ValidatorFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hibernate.validator.HibernateValidator;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;

/**
 * Checks each setting of a program against the constraints of its config mapping. Rules about
 * several settings are code of the program.
 */
public final class SettingsCheck implements BeanValidationConfigValidator {

    private final Validator validator;

    private SettingsCheck(Validator validator) {
        this.validator = validator;
    }

    /**
     * Checks all settings of some config mappings.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} with each invalid setting, its value and
     *     the rule
     */
    public static void check(Object... mappings) {
        // Closed afterwards: a program checks its settings only once.
        try (ValidatorFactory factory =
                Validation.byProvider(HibernateValidator.class)
                        .configure()
                        .ignoreXmlConfiguration()
                        // The default one needs a library for expressions.
                        .messageInterpolator(new ParameterMessageInterpolator())
                        .buildValidatorFactory()) {
            SettingsCheck check = new SettingsCheck(factory.getValidator());
            List<String> errors = Arrays.stream(mappings).flatMap(check::errors).toList();
            if (!errors.isEmpty()) {
                throw new ForebayException(ErrorCode.INVALID_ARGUMENT, String.join("; ", errors));
            }
        }
    }

    private Stream<String> errors(Object mapping) {
        Class<?> type =
                Arrays.stream(mapping.getClass().getInterfaces())
                        .filter(each -> each.isAnnotationPresent(ConfigMapping.class))
                        .findFirst()
                        .orElseThrow();
        try {
            validateMapping(type, type.getAnnotation(ConfigMapping.class).prefix(), mapping);
            return Stream.of();
        } catch (ConfigValidationException e) {
            return IntStream.range(0, e.getProblemCount())
                    .mapToObj(i -> e.getProblem(i).getMessage());
        }
    }

    @Override
    public Validator getValidator() {
        return validator;
    }

    /** No mapping has a constraint of its own, so that only properties are checked. */
    @Override
    public void validateMappingClass(Object mapping, List<Problem> problems, String path) {}

    /** The inherited method does not write names of groups as operators do. */
    @Override
    public String appendPropertyName(String path, Property property) {
        String name = property.getPropertyName(NamingStrategy.KEBAB_CASE);
        return name.isEmpty() ? path : path + "." + name;
    }

    @Override
    public String interpolateMessage(
            String path,
            NamingStrategy naming,
            Property property,
            ConstraintViolation<?> violation) {
        String value =
                switch (violation.getInvalidValue()) {
                    case Duration duration -> Seconds.of(duration);
                    case MemorySize size -> size.asBigInteger().toString();
                    case Object other -> other.toString();
                };
        return "%s is %s: it %s"
                .formatted(appendPropertyName(path, property), value, violation.getMessage());
    }
}
