package dev.forebay.suite;

import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The tests that a run is for. An empty list means all tests.
 *
 * @param tests simple names of classes, in which * stands for any characters. A name may be
 *     followed by {@code #} and a regular expression for methods
 */
record Selection(List<String> tests) {
    Selection {
        tests = List.copyOf(tests);
    }

    boolean isAll() {
        return tests.isEmpty();
    }

    boolean includes(TestClass test) {
        return isAll() || tests.stream().anyMatch(each -> names(each, test));
    }

    /** Returns the named tests that match none of the classes. */
    List<String> missing(Collection<TestClass> classes) {
        return tests.stream()
                .filter(each -> classes.stream().noneMatch(test -> names(each, test)))
                .toList();
    }

    /**
     * Returns a regular expression that the methods of a class must match; empty for all methods.
     */
    String methods(TestClass test) {
        List<String> ofClass = tests.stream().filter(each -> names(each, test)).toList();
        if (ofClass.stream().anyMatch(each -> !each.contains("#"))) {
            return "";
        }
        return ofClass.stream()
                .map(each -> each.substring(each.indexOf('#') + 1))
                .collect(Collectors.joining("|"));
    }

    private static boolean names(String selected, TestClass test) {
        String name = selected.replaceFirst("#.*", "").replace("*", ".*");
        return Pattern.matches(name, test.simpleName());
    }

    @Override
    public String toString() {
        return tests.toString();
    }
}
