package dev.forebay.model;

/**
 * The identity of a pack: the digest of its layout, that is of the objects it was made of and their
 * order.
 */
public record PackId(Digest digest) {

    public static PackId parse(String hex) {
        return new PackId(new Digest(hex));
    }

    @Override
    public String toString() {
        return digest.hex();
    }
}
