package dev.forebay.suite;

/**
 * A test class in a part of the suite.
 *
 * @param name fully qualified
 */
record TestClass(MavenModule module, SuitePart part, String name) implements Work {
    String simpleName() {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    @Override
    public String key() {
        return name;
    }
}
