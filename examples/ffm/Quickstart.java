// How long will this job take on 6 nodes, if it took 298 s on 4 and 226 s on 8? Over the C interface of bellamy, with nothing
// but the JDK (22 or newer, 64-bit):
//
//   java --enable-native-access=ALL-UNNAMED Quickstart.java libbellamy.so

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.AddressLayout;
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
    // The structs of bellamy/c.h; each begins with its size.
    static final StructLayout ERROR = MemoryLayout.structLayout(
            JAVA_LONG.withName("size"),
            JAVA_INT.withName("code"),
            MemoryLayout.sequenceLayout(252, JAVA_BYTE).withName("message"));
    static final StructLayout PROPERTY = MemoryLayout.structLayout(
            JAVA_LONG.withName("size"),
            ADDRESS.withName("name"),
            ADDRESS.withName("text"),
            JAVA_LONG.withName("natural"),
            JAVA_DOUBLE.withName("quantity"),
            JAVA_INT.withName("kind"),
            JAVA_INT.withName("role"),
            JAVA_INT.withName("scales_with_scale_out"),
            MemoryLayout.paddingLayout(4));
    static final StructLayout CONTEXT = MemoryLayout.structLayout(
            JAVA_LONG.withName("size"),
            ADDRESS.withName("essential"),
            JAVA_LONG.withName("essential_count"),
            ADDRESS.withName("optional"),
            JAVA_LONG.withName("optional_count"),
            JAVA_INT.withName("unit"),
            MemoryLayout.paddingLayout(4));
    static final StructLayout RUN = MemoryLayout.structLayout(
            JAVA_LONG.withName("size"),
            ADDRESS.withName("context"),
            JAVA_DOUBLE.withName("runtime_s"),
            JAVA_DOUBLE.withName("weight"),
            JAVA_DOUBLE.withName("timestamp_s"),
            JAVA_INT.withName("scale_out"),
            JAVA_INT.withName("censored"));
    static final StructLayout PREDICTION = MemoryLayout.structLayout(
            JAVA_LONG.withName("size"),
            JAVA_DOUBLE.withName("median_s"),
            MemoryLayout.sequenceLayout(17, JAVA_DOUBLE).withName("log_quantiles"),
            JAVA_INT.withName("flags"),
            JAVA_INT.withName("observed_runs"));

    // A text that the library owns: as long as its zero byte is away.
    static final AddressLayout TEXT =
            ADDRESS.withTargetLayout(MemoryLayout.sequenceLayout(Long.MAX_VALUE, JAVA_BYTE));

    static final int KIND_TEXT = 0;
    static final int KIND_NATURAL = 1;

    /** What the library refuses, with its code and its sentence. */
    static final class Refused extends RuntimeException {
        Refused(String message) {
            super(message);
        }
    }

    private final SymbolLookup library;
    private final Arena arena;
    private final MemorySegment error;
    private final MethodHandle codeName;

    Quickstart(Path path, Arena arena) {
        this.library = SymbolLookup.libraryLookup(path, arena);
        this.arena = arena;
        this.error = sized(ERROR, 1);
        this.codeName = function("bellamy_code_name", FunctionDescriptor.of(TEXT, JAVA_INT));
    }

    private MethodHandle function(String name, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(library.find(name).orElseThrow(), descriptor);
    }

    /** Rows of zeros, each of which says its size. */
    private MemorySegment sized(StructLayout layout, int rows) {
        var made = arena.allocate(layout, rows);
        for (int i = 0; i < rows; ++i) made.set(JAVA_LONG, i * layout.byteSize(), layout.byteSize());
        return made;
    }

    private static long offset(StructLayout layout, int row, String field) {
        return row * layout.byteSize() + layout.byteOffset(PathElement.groupElement(field));
    }

    /** Calls a function that answers with a code and takes an error last. */
    private void call(String name, Object... arguments) {
        var layouts = new MemoryLayout[arguments.length + 1];
        var all = new Object[arguments.length + 1];
        for (int i = 0; i < arguments.length; ++i) {
            layouts[i] = switch (arguments[i]) {
                case Long any -> JAVA_LONG;
                case Double any -> JAVA_DOUBLE;
                default -> ADDRESS;
            };
            all[i] = arguments[i];
        }
        layouts[arguments.length] = ADDRESS;
        all[arguments.length] = error;
        try {
            int code = (int) function(name, FunctionDescriptor.of(JAVA_INT, layouts)).invokeWithArguments(all);
            if (code == 0) return;
            var spelled = ((MemorySegment) codeName.invokeExact(code)).getString(0);
            throw new Refused(spelled + ": " + error.getString(offset(ERROR, 0, "message")));
        } catch (RuntimeException | Error thrown) {
            throw thrown;
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    private MemorySegment job(String machineType, long dataSizeMb) {
        var facts = sized(PROPERTY, 2);
        facts.set(ADDRESS, offset(PROPERTY, 0, "name"), arena.allocateFrom("machine_type"));
        facts.set(ADDRESS, offset(PROPERTY, 0, "text"), arena.allocateFrom(machineType));
        facts.set(JAVA_INT, offset(PROPERTY, 0, "kind"), KIND_TEXT);
        facts.set(ADDRESS, offset(PROPERTY, 1, "name"), arena.allocateFrom("data_size_MB"));
        facts.set(JAVA_LONG, offset(PROPERTY, 1, "natural"), dataSizeMb);
        facts.set(JAVA_INT, offset(PROPERTY, 1, "kind"), KIND_NATURAL);
        var context = sized(CONTEXT, 1);
        context.set(ADDRESS, offset(CONTEXT, 0, "essential"), facts);
        context.set(JAVA_LONG, offset(CONTEXT, 0, "essential_count"), 2);
        return context;
    }

    private static void setRun(MemorySegment runs, int row, MemorySegment job, int scaleOut, double runtimeS) {
        runs.set(ADDRESS, offset(RUN, row, "context"), job);
        runs.set(JAVA_DOUBLE, offset(RUN, row, "runtime_s"), runtimeS);
        runs.set(JAVA_DOUBLE, offset(RUN, row, "weight"), 1);
        runs.set(JAVA_INT, offset(RUN, row, "scale_out"), scaleOut);
    }

    private MemorySegment predict(MemorySegment curve, int scaleOut) {
        var row = sized(PREDICTION, 1);
        call("bellamy_curve_predict", curve, arena.allocateFrom(JAVA_INT, scaleOut), 1L, row);
        return row;
    }

    private double quantile(MemorySegment row, double probability) {
        try {
            return (double) function("bellamy_prediction_quantile", FunctionDescriptor.of(JAVA_DOUBLE, ADDRESS, JAVA_DOUBLE))
                    .invokeExact(row, probability);
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    private void release(String name, MemorySegment place) {
        try {
            function(name, FunctionDescriptor.ofVoid(ADDRESS)).invokeWithArguments(place);
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    private void run() {
        var general = arena.allocate(ADDRESS);
        var model = arena.allocate(ADDRESS);
        var curve = arena.allocate(ADDRESS);
        try {
            var job = job("m4.2xlarge", 15408);
            var observed = sized(RUN, 2);
            setRun(observed, 0, job, 4, 298);
            setRun(observed, 1, job, 8, 226);
            call("bellamy_cold_start", job, arena.allocateFrom("sort"), general);
            call("bellamy_model_condition", general.get(ADDRESS, 0), observed, 2L, model);
            call("bellamy_model_bind", model.get(ADDRESS, 0), job, MemorySegment.NULL, curve);
            var row = predict(curve.get(ADDRESS, 0), 6);
            System.out.printf(Locale.ROOT, "About %.0f s, and %.0f s or less in nine of ten runs.%n",
                    row.get(JAVA_DOUBLE, offset(PREDICTION, 0, "median_s")),
                    quantile(row, 0.9));
            // There is no such scale-out: the library says so, and the JVM lives on.
            predict(curve.get(ADDRESS, 0), 0);
        } catch (Refused refused) {
            System.out.println("Refused: " + refused.getMessage());
        } finally {
            release("bellamy_curve_release", curve);
            release("bellamy_model_release", model);
            release("bellamy_model_release", general);
        }
    }

    public static void main(String[] arguments) {
        if (arguments.length != 1) {
            System.err.println("expected the path of the shared library, found " + arguments.length + " arguments");
            System.exit(2);
        }
        // One thread, and everything is freed at the end.
        try (var arena = Arena.ofConfined()) {
            new Quickstart(Path.of(arguments[0]).toAbsolutePath(), arena).run();
        }
    }
}
