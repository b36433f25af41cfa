package dev.forebay.operator;

import io.fabric8.kubernetes.api.model.HasMetadata;

/** Where a resource is. */
record Key(String namespace, String name) {

    static Key of(HasMetadata resource) {
        return new Key(resource.getMetadata().getNamespace(), resource.getMetadata().getName());
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
