package dev.forebay.settings;

import io.quarkus.runtime.configuration.DurationConverter;
import io.quarkus.runtime.configuration.MemorySize;
import io.quarkus.runtime.configuration.MemorySizeConverter;
import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Requires that a number, a duration or a size is within limits, if it is set. */
@Constraint(validatedBy = InRange.Validator.class)
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface InRange {

    /** The least value, as an operator would write it: {@code 1}, {@code 500ms} or {@code 32M}. */
    String min();

    /** The greatest value. Empty for no limit. */
    String max() default "";

    String message() default "must be at least {min}";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    /** Compares the value with the limits. */
    final class Validator implements ConstraintValidator<InRange, Object> {

        private String min = "";
        private String max = "";

        @Override
        public void initialize(InRange rule) {
            min = rule.min();
            max = rule.max();
        }

        @Override
        public boolean isValid(@Nullable Object value, ConstraintValidatorContext context) {
            if (max.isEmpty()) {
                return value == null || compare(value, min) >= 0;
            }
            context.disableDefaultConstraintViolation();
            context.buildConstraintViolationWithTemplate(
                            context.getDefaultConstraintMessageTemplate() + ", and at most {max}")
                    .addConstraintViolation();
            return value == null || (compare(value, min) >= 0 && compare(value, max) <= 0);
        }

        private static int compare(Object value, String limit) {
            return switch (value) {
                case Duration duration ->
                        duration.compareTo(DurationConverter.parseDuration(limit));
                case MemorySize size ->
                        size.asBigInteger()
                                .compareTo(new MemorySizeConverter().convert(limit).asBigInteger());
                default -> new BigDecimal(value.toString()).compareTo(new BigDecimal(limit));
            };
        }
    }
}
