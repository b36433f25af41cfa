package dev.forebay.model;

/** The identity of a pack: the digest of its layout, which is the list of its objects in order. */
public record PackId(Digest digest) {

    public static PackId parse(String hex) {
        return new PackId(new Digest(hex));
    }

    @Override
    public String toString() {
        return digest.hex();
    }
}
