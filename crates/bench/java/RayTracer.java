/** Spheres, shadows and mirrors; vectors and rays are small objects. Each thread traces every other line. */
final class RayTracer {
    private static final int SIZE = 150;
    private static final int DEPTH = 4;
    private final Sphere[] spheres = new Sphere[27];
    private final Vector light = new Vector(-5, 8, -10);
    private final int[][] picture = new int[SIZE][SIZE];

    private RayTracer() {
        for (int i = 0; i < spheres.length; i++) {
            spheres[i] = new Sphere(new Vector(i % 3 * 2.5 - 2.5, i / 3 % 3 * 2.5 - 2.5, i / 9 * 2.5), 0.9, i % 2 * 0.4);
        }
    }

    public static void main(String[] args) {
        Kernel.measure(args, () -> new RayTracer().render());
    }

    private long render() {
        Kernel.together(new Share());
        long sum = 0;
        for (int[] line : picture) {
            for (int pixel : line) sum += pixel;
        }
        return sum;
    }

    private final class Share implements Kernel.Part {
        @Override
        public void of(int thread) {
            for (int y = thread; y < SIZE; y += Kernel.THREADS) line(y);
        }
    }

    private void line(int y) {
        Vector eye = new Vector(0, 0, -12);
        for (int x = 0; x < SIZE; x++) {
            Vector direction = new Vector((x - SIZE / 2.0) / SIZE, (y - SIZE / 2.0) / SIZE, 1).unit();
            picture[y][x] = (int) (255 * trace(new Ray(eye, direction), 0));
        }
    }

    private double trace(Ray ray, int depth) {
        Hit hit = nearest(ray);
        if (hit == null) return 0.1;
        Vector point = ray.at(hit.distance);
        Vector normal = point.minus(hit.sphere.centre).unit();
        Vector toLight = light.minus(point).unit();
        double brightness = Math.max(0, normal.dot(toLight));
        if (nearest(new Ray(point.plus(normal.times(1e-4)), toLight)) != null) brightness *= 0.3;
        if (hit.sphere.mirror == 0 || depth == DEPTH) return brightness;
        Vector mirrored = ray.direction.minus(normal.times(2 * normal.dot(ray.direction)));
        double seen = trace(new Ray(point.plus(normal.times(1e-4)), mirrored), depth + 1);
        return (1 - hit.sphere.mirror) * brightness + hit.sphere.mirror * seen;
    }

    private Hit nearest(Ray ray) {
        Hit nearest = null;
        for (Sphere sphere : spheres) {
            double distance = sphere.distance(ray);
            if (distance > 0 && (nearest == null || distance < nearest.distance)) nearest = new Hit(sphere, distance);
        }
        return nearest;
    }

    private static final class Vector {
        private double x, y, z;

        Vector(double x, double y, double z) {
            this.x = x;
            this.y = y;
            this.z = z;
        }

        Vector plus(Vector other) {
            return new Vector(x + other.x, y + other.y, z + other.z);
        }

        Vector minus(Vector other) {
            return new Vector(x - other.x, y - other.y, z - other.z);
        }

        Vector times(double factor) {
            return new Vector(x * factor, y * factor, z * factor);
        }

        double dot(Vector other) {
            return x * other.x + y * other.y + z * other.z;
        }

        Vector unit() {
            return times(1 / Math.sqrt(dot(this)));
        }
    }

    private static final class Ray {
        private Vector origin, direction;

        Ray(Vector origin, Vector direction) {
            this.origin = origin;
            this.direction = direction;
        }

        Vector at(double distance) {
            return origin.plus(direction.times(distance));
        }
    }

    private static final class Sphere {
        private Vector centre;
        private double radius, mirror;

        Sphere(Vector centre, double radius, double mirror) {
            this.centre = centre;
            this.radius = radius;
            this.mirror = mirror;
        }

        /** Along the ray to the sphere; negative if it misses. */
        double distance(Ray ray) {
            Vector to = centre.minus(ray.origin);
            double along = to.dot(ray.direction);
            double square = along * along - to.dot(to) + radius * radius;
            return square < 0 ? -1 : along - Math.sqrt(square);
        }
    }

    private static final class Hit {
        private Sphere sphere;
        private double distance;

        Hit(Sphere sphere, double distance) {
            this.sphere = sphere;
            this.distance = distance;
        }
    }
}
