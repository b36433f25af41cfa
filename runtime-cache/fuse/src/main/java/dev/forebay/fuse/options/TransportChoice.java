package dev.forebay.fuse.options;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.jnr.JnrTransport;
import dev.forebay.fuse.kernel.KernelTransport;
import dev.forebay.model.ForebayException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The choices of {@code --transport}. */
public enum TransportChoice {

    /** The kernel's protocol if this process may mount, otherwise libfuse. */
    AUTO {
        @Override
        public Transport mount(
                FileSystemView view, UpcallGuard guard, Path mountpoint, boolean allowOther) {
            try {
                return KERNEL.mount(view, guard, mountpoint, allowOther);
            } catch (ForebayException e) {
                LOG.info("Transport jnr, because the transport kernel {}", e.getMessage());
                return JNR.mount(view, guard, mountpoint, allowOther);
            }
        }
    },

    /** See {@link KernelTransport}. */
    KERNEL {
        @Override
        public Transport mount(
                FileSystemView view, UpcallGuard guard, Path mountpoint, boolean allowOther) {
            return KernelTransport.mount(view, guard, mountpoint, allowOther);
        }
    },

    /** See {@link JnrTransport}. */
    JNR {
        @Override
        public Transport mount(
                FileSystemView view, UpcallGuard guard, Path mountpoint, boolean allowOther) {
            return JnrTransport.mount(view, guard, mountpoint, allowOther);
        }
    };

    private static final Logger LOG = LoggerFactory.getLogger(TransportChoice.class);

    /**
     * Mounts a view.
     *
     * @throws ForebayException {@code UNAVAILABLE} or {@code INVALID_ARGUMENT} if that is
     *     impossible here
     */
    public abstract Transport mount(
            FileSystemView view, UpcallGuard guard, Path mountpoint, boolean allowOther);
}
