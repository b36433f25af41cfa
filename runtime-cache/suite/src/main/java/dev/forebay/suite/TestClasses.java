package dev.forebay.suite;

import java.io.IOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Finds test classes and their tags in class files, without loading them. */
final class TestClasses {
    private static final String TAG = "Lorg/junit/jupiter/api/Tag;";

    /** The annotation that the compiler writes for several tags of one element. */
    private static final String TAGS = "Lorg/junit/jupiter/api/Tags;";

    private TestClasses() {}

    /** Returns the classes of a module that belong to one of the parts, once for each part. */
    static List<TestClass> of(MavenModule module, Set<SuitePart> parts) throws IOException {
        List<TestClass> found = new ArrayList<>();
        for (Path file : candidates(module.testClasses())) {
            ClassModel model = ClassFile.of().parse(file);
            if (model.flags().has(AccessFlag.ABSTRACT)) {
                continue;
            }
            String name = model.thisClass().asInternalName().replace('/', '.');
            Set<String> classTags = new HashSet<>();
            addTags(model, classTags);
            Set<String> tags = new HashSet<>(classTags);
            model.methods().forEach(method -> addTags(method, tags));
            parts.stream()
                    .filter(part -> part.has(name, tags, classTags))
                    .forEach(part -> found.add(new TestClass(module, part, name)));
        }
        return found;
    }

    private static List<Path> candidates(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(
                            file -> {
                                String name = file.getFileName().toString();
                                return !name.contains("$")
                                        && (name.endsWith("Test.class")
                                                || name.endsWith("IT.class"));
                            })
                    .sorted()
                    .toList();
        }
    }

    private static void addTags(AttributedElement element, Set<String> tags) {
        element.findAttribute(Attributes.runtimeVisibleAnnotations()).stream()
                .flatMap(attribute -> attribute.annotations().stream())
                .forEach(annotation -> addTag(annotation, tags));
    }

    private static void addTag(Annotation annotation, Set<String> tags) {
        if (annotation.className().equalsString(TAG)) {
            tags.add(((AnnotationValue.OfString) value(annotation)).stringValue());
        } else if (annotation.className().equalsString(TAGS)) {
            for (AnnotationValue tag : ((AnnotationValue.OfArray) value(annotation)).values()) {
                addTag(((AnnotationValue.OfAnnotation) tag).annotation(), tags);
            }
        }
    }

    private static AnnotationValue value(Annotation annotation) {
        return annotation.elements().getFirst().value();
    }
}
