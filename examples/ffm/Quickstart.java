// How long will this job take on 6 nodes, if it took 298 s on 4 and 226 s on 8? Over the C interface of bellamy, with nothing
// but the JDK (22 or newer):
//
//   java --enable-native-access=ALL-UNNAMED Quickstart.java libbellamy.so

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Locale;

public final class Quickstart {
    // The structs of bellamy/c.h on a 64-bit machine; each begins with its size.
    static final StructLayout ERROR = MemoryLayout.structLayout(JAVA_LONG.withName("size"), JAVA_INT.withName("code"),
            MemoryLayout.sequenceLayout(252, ValueLayouts.BYTE).withName("message"));
    static final StructLayout PROPERTY = MemoryLayout.structLayout(JAVA_LONG.withName("size"), ADDRESS.withName("name"),
            ADDRESS.withName("text"), JAVA_LONG.withName("natural"), JAVA_DOUBLE.withName("quantity"),
            JAVA_INT.withName("kind"), JAVA_INT.withName("role"), JAVA_INT.withName("scales_with_scale_out"),
            MemoryLayout.paddingLayout(4));
    static final StructLayout CONTEXT = MemoryLayout.structLayout(JAVA_LONG.withName("size"), ADDRESS.withName("essential"),
            JAVA_LONG.withName("essential_count"), ADDRESS.withName("optional"), JAVA_LONG.withName("optional_count"),
            JAVA_INT.withName("unit"), MemoryLayout.paddingLayout(4));
    static final StructLayout RUN = MemoryLayout.structLayout(JAVA_LONG.withName("size"), ADDRESS.withName("context"),
            JAVA_DOUBLE.withName("runtime_s"), JAVA_DOUBLE.withName("weight"), JAVA_DOUBLE.withName("timestamp_s"),
            JAVA_INT.withName("scale_out"), JAVA_INT.withName("censored"));
    static final StructLayout PREDICTION = MemoryLayout.structLayout(JAVA_LONG.withName("size"),
            JAVA_DOUBLE.withName("median_s"), JAVA_DOUBLE.withName("quantile_s"),
            JAVA_DOUBLE.withName("probability_within"), JAVA_DOUBLE.withName("spread"), JAVA_INT.withName("flags"),
            JAVA_INT.withName("observed_runs"));

    private static final class ValueLayouts {
        static final java.lang.foreign.ValueLayout.OfByte BYTE = java.lang.foreign.ValueLayout.JAVA_BYTE;
    }
}
