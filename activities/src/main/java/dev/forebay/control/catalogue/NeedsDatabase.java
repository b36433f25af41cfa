package dev.forebay.control.catalogue;

import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks classes whose calls need the database. {@link NeedsDatabaseInterceptor} translates its
 * failures, for example to UNAVAILABLE if it does not answer.
 */
@InterceptorBinding
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface NeedsDatabase {}
