package dev.forebay.operator;

import io.fabric8.kubernetes.api.model.HasMetadata;

/** The namespace and name of a resource. */
record Key(String namespace, String name) {

    static Key of(HasMetadata resource) {
        return new Key(resource.getMetadata().getNamespace(), resource.getMetadata().getName());
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
