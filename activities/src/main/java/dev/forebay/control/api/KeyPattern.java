package dev.forebay.control.api;

import dev.forebay.model.KeyFilter;
import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Requires a pattern of keys relative to a source, as {@link KeyFilter} defines it. */
@Constraint(validatedBy = KeyPattern.Validator.class)
@Target(ElementType.TYPE_USE)
@Retention(RetentionPolicy.RUNTIME)
public @interface KeyPattern {

    String message() default "";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    /** Validates the text. */
    final class Validator implements ConstraintValidator<KeyPattern, String> {

        @Override
        public boolean isValid(@Nullable String text, ConstraintValidatorContext context) {
            Optional<String> rule = Optional.ofNullable(text).flatMap(KeyFilter::violation);
            rule.ifPresent(
                    broken -> {
                        context.disableDefaultConstraintViolation();
                        context.buildConstraintViolationWithTemplate(broken)
                                .addConstraintViolation();
                    });
            return rule.isEmpty();
        }
    }
}
