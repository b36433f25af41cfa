package dev.forebay.testing;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An operation of the application's API, as the annotations of its class define it.
 *
 * @param path with {@code x} in the place of each parameter
 */
public record ApiOperation(String method, String path) {

    /**
     * Returns the operations of both roles, including those that the OpenAPI document leaves out.
     */
    public static List<ApiOperation> all() {
        return new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("dev.forebay")
                        .stream()
                        .filter(type -> type.isAnnotatedWith(Path.class))
                        .map(JavaClass::reflect)
                        .flatMap(ApiOperation::of)
                        .toList();
    }

    private static Stream<ApiOperation> of(Class<?> resource) {
        String base = resource.getAnnotation(Path.class).value();
        return Arrays.stream(resource.getDeclaredMethods())
                .flatMap(method -> httpMethod(method).map(name -> of(base, name, method)).stream());
    }

    private static ApiOperation of(String base, String httpMethod, Method method) {
        Path below = method.getAnnotation(Path.class);
        String path = base + (below == null ? "" : below.value());
        return new ApiOperation(httpMethod, path.replaceAll("\\{\\w+}", "x"));
    }

    private static Optional<String> httpMethod(Method method) {
        return Arrays.stream(method.getAnnotations())
                .map(Annotation::annotationType)
                .flatMap(type -> Arrays.stream(type.getAnnotationsByType(HttpMethod.class)))
                .map(HttpMethod::value)
                .findFirst();
    }
}
