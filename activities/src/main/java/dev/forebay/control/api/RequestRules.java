package dev.forebay.control.api;

import dev.forebay.control.catalogue.LakeSource;

/**
 * The validation rules of requests, as {@code dev.forebay.model} defines them, and their messages.
 */
public final class RequestRules {

    public static final String NAME = "^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$";
    public static final String NAME_RULE =
            "must be 1 to 63 characters of a-z 0-9 . _ -, beginning and ending with a letter or a digit";

    public static final String VERSION = "^[A-Za-z0-9][A-Za-z0-9._-]{0,126}$";
    public static final String VERSION_RULE =
            "must be 1 to 127 characters of A-Z a-z 0-9 . _ -, beginning with a letter or a digit";

    public static final String REGION = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";
    public static final String REGION_RULE =
            "must be 1 to 63 characters of a-z 0-9 -, beginning and ending with a letter or a digit";

    /** Accepts days that do not exist, such as 30 February. */
    public static final String INSTANT =
            "^2[01]\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d([.]\\d{1,9})?(Z|[+]00:00)$";

    public static final String INSTANT_RULE =
            "must be an instant, such as " + "2026-11-20T12:00:00.123Z";

    public static final int MOST_REGIONS = 64;
    public static final String PLANNED_REGIONS_RULE = "must be 1 to 64 regions";
    public static final String REGIONS_RULE = "must be 1 to 64 regions, each once";

    public static final String ID = "^[A-Za-z0-9._-]{1,64}$";
    public static final String ID_RULE = "must be 1 to 64 characters of A-Z a-z 0-9 . _ -";

    public static final String SOURCE_RULE =
            "must be s3://bucket/prefix/ with a / at its end, or s3://bucket/ for the whole "
                    + "bucket";

    public static final int MOST_PATTERNS = LakeSource.MOST_PATTERNS;
    public static final String PATTERNS_RULE = "must be at most 64 patterns";

    public static final String KEYS_RULE = "must be s3://bucket/key of an object that lists keys";

    public static final int TEXT_LENGTH = 200;
    public static final String TEXT_RULE =
            "must be at most 200 characters, none of them a control character or a lone surrogate";

    /**
     * Accepts no line breaks and terminal escapes, and no NUL and lone surrogates, which PostgreSQL
     * cannot store.
     */
    public static final String TEXT = "[^\\p{Cntrl}\\p{Cs}]*";

    /** Accepts null, unlike {@code @NotBlank}, because {@code @NotNull} reports it. */
    public static final String HOLDER = TEXT + "[^\\s\\p{Cntrl}\\p{Cs}]" + TEXT;

    public static final String HOLDER_RULE =
            "must be 1 to 200 characters, not only blanks, and none of them a control character or a lone surrogate";

    public static final long MIN_LEASE_SECONDS = 5;
    public static final long MAX_LEASE_SECONDS = 7 * 24 * 3600;
    public static final String LEASE_RULE = "must be a whole number from 5 to 604800";

    public static final long MIN_TTL_SECONDS = 1;
    public static final long MAX_TTL_SECONDS = 3650L * 24 * 3600;
    public static final String TTL_RULE = "must be a whole number from 1 to 315360000";

    public static final long MIN_INTERVAL_SECONDS = 10;
    public static final long MAX_INTERVAL_SECONDS = 30L * 24 * 3600;
    public static final String INTERVAL_RULE = "must be a whole number from 10 to 2592000";

    public static final String TTL_AFTER = "pin|read";
    public static final String TTL_AFTER_RULE = "must be pin or read";

    public static final String QUOTA_RULE = "must be a whole number from 0";

    public static final String COVERAGE_RULE = "must be a number from 0 to 1";

    public static final long MIN_DEADLINE_SECONDS = 1;
    public static final long MAX_DEADLINE_SECONDS = 7 * 24 * 3600;
    public static final String DEADLINE_RULE = "must be a whole number from 1 to 604800";

    public static final String ON_DEADLINE = "fail|run_cold";
    public static final String ON_DEADLINE_RULE = "must be fail or run_cold";

    public static final String PRIORITY = "interactive|speculative";
    public static final String PRIORITY_RULE = "must be interactive or speculative";

    public static final String DATASET =
            "^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?/[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$";
    public static final String DATASET_RULE = "must have the form namespace/name";

    public static final String FSCK_OF =
            "([a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?(/[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?(@[A-Za-z0-9][A-Za-z0-9._-]{0,126})?)?)?";
    public static final String FSCK_OF_RULE =
            "must have the form namespace, namespace/name or namespace/name@version";

    public static final String DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}";
    public static final String DAY_RULE = "must be a day, such as 2026-11-30";

    public static final String COSTS_BY = "namespace|dataset|version|region|run|day";
    public static final String COSTS_BY_RULE =
            "must be namespace, dataset, version, region, run or day";

    /** The maximum length of a key in the lake. */
    public static final int LONGEST_PATH = 1024;

    public static final String FOLDER = "([^/]+/)*[^/]*";
    public static final String FOLDER_RULE =
            "must be a path below the version's root, like train/images, of at most 1024 characters";
    public static final String AFTER_RULE = "must be the field next of a page";

    public static final String YES_OR_NO = "true|false";
    public static final String YES_OR_NO_RULE = "must be true or false";

    public static final String REQUIRED = "is missing";

    private RequestRules() {}
}
