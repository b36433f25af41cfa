package dev.forebay.fuse.kernel.protocol;

/** The kind of a request: {@code enum fuse_opcode}. */
public final class Opcode {

    public static final int LOOKUP = 1;
    public static final int FORGET = 2;
    public static final int GETATTR = 3;
    public static final int SETATTR = 4;
    public static final int READLINK = 5;
    public static final int SYMLINK = 6;
    public static final int MKNOD = 8;
    public static final int MKDIR = 9;
    public static final int UNLINK = 10;
    public static final int RMDIR = 11;
    public static final int RENAME = 12;
    public static final int LINK = 13;
    public static final int OPEN = 14;
    public static final int READ = 15;
    public static final int WRITE = 16;
    public static final int STATFS = 17;
    public static final int RELEASE = 18;
    public static final int FSYNC = 20;
    public static final int SETXATTR = 21;
    public static final int GETXATTR = 22;
    public static final int LISTXATTR = 23;
    public static final int REMOVEXATTR = 24;
    public static final int FLUSH = 25;
    public static final int INIT = 26;
    public static final int OPENDIR = 27;
    public static final int READDIR = 28;
    public static final int RELEASEDIR = 29;
    public static final int FSYNCDIR = 30;
    public static final int ACCESS = 34;
    public static final int CREATE = 35;
    public static final int INTERRUPT = 36;
    public static final int DESTROY = 38;
    public static final int BATCH_FORGET = 42;
    public static final int FALLOCATE = 43;
    public static final int READDIRPLUS = 44;
    public static final int RENAME2 = 45;
    public static final int LSEEK = 46;
    public static final int COPY_FILE_RANGE = 47;
    public static final int TMPFILE = 51;
    public static final int STATX = 52;

    /** The highest known opcode plus one. */
    public static final int COUNT = 53;

    private Opcode() {}
}
