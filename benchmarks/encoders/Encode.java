// java Encode.java OUT PICTURE...: each picture (a PNG) by the JDK's encoder, in several qualities, into OUT.
import java.awt.image.BufferedImage;
import java.io.File;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;

public class Encode {
    public static void main(String[] arguments) throws Exception {
        for (int i = 1; i < arguments.length; i++) {
            BufferedImage picture = ImageIO.read(new File(arguments[i]));
            for (float quality : new float[] {0.05f, 0.5f, 0.9f, 1f}) {
                for (int mode : new int[] {ImageWriteParam.MODE_DISABLED, ImageWriteParam.MODE_DEFAULT}) {
                    String name = arguments[0] + "/" + i + "-" + quality + "-" + mode + ".jpg";
                    write(picture, quality, mode, new File(name));
                }
            }
        }
    }

    private static void write(BufferedImage picture, float quality, int progressive, File file) throws Exception {
        ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
        ImageWriteParam how = writer.getDefaultWriteParam();
        how.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
        how.setCompressionQuality(quality);
        how.setProgressiveMode(progressive);
        try (var stream = ImageIO.createImageOutputStream(file)) {
            writer.setOutput(stream);
            writer.write(null, new IIOImage(picture, null, null), how);
        }
        writer.dispose();
    }
}
