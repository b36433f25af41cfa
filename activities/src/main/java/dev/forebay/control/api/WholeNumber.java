package dev.forebay.control.api;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.jspecify.annotations.Nullable;

/**
 * Requires that a query parameter is a whole number in a range.
 *
 * <p>Such parameters have the type String, because the framework answers a number that does not
 * parse with 404 and no body.
 */
@Constraint(validatedBy = WholeNumber.Validator.class)
@Target({ElementType.PARAMETER, ElementType.FIELD})
@Retention(RetentionPolicy.RUNTIME)
public @interface WholeNumber {

    int min();

    int max();

    String message() default "must be a whole number from {min} to {max}";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    /** Validates the text. */
    final class Validator implements ConstraintValidator<WholeNumber, String> {

        private int min;
        private int max;

        @Override
        public void initialize(WholeNumber rule) {
            min = rule.min();
            max = rule.max();
        }

        @Override
        public boolean isValid(@Nullable String text, ConstraintValidatorContext context) {
            if (text == null) {
                return true;
            }
            if (!text.matches("[0-9]{1,9}")) {
                return false;
            }
            int value = Integer.parseInt(text);
            return value >= min && value <= max;
        }
    }
}
