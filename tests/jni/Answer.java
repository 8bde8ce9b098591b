import io.github.bellamy.BellamyException;
import io.github.bellamy.RuntimeModel;
import java.nio.file.Path;

/** Loads the model of a file, and says how large it is or why not. */
final class Answer {
  public static void main(String[] arguments) {
    try (RuntimeModel model = RuntimeModel.load(Path.of(arguments[0]))) {
      System.out.println("a model of " + model.toBytes().length + " bytes");
    } catch (BellamyException refused) {
      System.out.println(refused.getMessage());
    }
  }
}
