package dev.forebay.control.catalogue;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import org.jspecify.annotations.Nullable;

/** The columns that store a {@link LakeSource}. */
@Embeddable
record SourceColumns(
        String bucket,
        String prefix,
        @Column(name = "include_patterns") String include,
        @Column(name = "exclude_patterns") String exclude,
        @Column(name = "key_list") @Nullable String keyList) {

    static SourceColumns of(LakeSource source) {
        return new SourceColumns(
                source.bucket(),
                source.prefix(),
                PatternLines.join(source.include()),
                PatternLines.join(source.exclude()),
                source.keys());
    }

    LakeSource toSource() {
        return new LakeSource(
                bucket, prefix, PatternLines.split(include), PatternLines.split(exclude), keyList);
    }
}
