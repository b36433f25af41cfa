package dev.forebay.control.api.versions;

import dev.forebay.control.api.RequestRules;
import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.HashSet;
import java.util.List;

/** Requires that a request names either one region, or several in a list. */
@Constraint(validatedBy = OneOrMoreRegions.Validator.class)
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@interface OneOrMoreRegions {

    String message() default "";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    /** Validates the two fields. */
    final class Validator implements ConstraintValidator<OneOrMoreRegions, EnsureBody> {

        @Override
        public boolean isValid(EnsureBody body, ConstraintValidatorContext context) {
            List<String> regions = body.regions();
            if (regions == null) {
                return body.region() != null || refuse(context, "region", RequestRules.REQUIRED);
            }
            if (body.region() != null) {
                return refuse(context, "regions", "cannot be combined with region");
            }
            return (!regions.isEmpty()
                            && regions.size() <= RequestRules.MOST_REGIONS
                            && new HashSet<>(regions).size() == regions.size())
                    || refuse(context, "regions", RequestRules.REGIONS_RULE);
        }

        private static boolean refuse(
                ConstraintValidatorContext context, String field, String rule) {
            context.disableDefaultConstraintViolation();
            context.buildConstraintViolationWithTemplate(rule)
                    .addPropertyNode(field)
                    .addConstraintViolation();
            return false;
        }
    }
}
