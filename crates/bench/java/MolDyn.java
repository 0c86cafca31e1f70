import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/** Molecular dynamics: particles that are objects, forces between all pairs, each thread with a share of the particles. */
final class MolDyn {
    private static final int PARTICLES = 500;
    private static final int STEPS = 12;
    private static final double STEP = 0.0005;
    private static final double CUTOFF = 9.0;
    private final Particle[] particles = new Particle[PARTICLES];
    private final CyclicBarrier barrier = new CyclicBarrier(Kernel.THREADS);

    private MolDyn() {
        for (int i = 0; i < PARTICLES; i++) {
            particles[i] = new Particle(i % 8 * 1.1, i / 8 % 8 * 1.1, i / 64 * 1.1, (i * 37 % 11 - 5) * 0.05);
        }
    }

    public static void main(String[] args) {
        Kernel.measure(args, () -> new MolDyn().simulate());
    }

    private long simulate() {
        Kernel.together(new Share());
        double energy = 0;
        for (Particle particle : particles) energy += particle.kinetic();
        return Math.round(energy * 1e6);
    }

    private final class Share implements Kernel.Part {
        @Override
        public void of(int thread) {
            for (int step = 0; step < STEPS; step++) {
                for (int i = thread; i < PARTICLES; i += Kernel.THREADS) feel(particles[i]);
                meet();
                for (int i = thread; i < PARTICLES; i += Kernel.THREADS) particles[i].move(STEP);
                meet();
            }
        }
    }

    private void meet() {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sums up the forces on one particle. */
    private void feel(Particle one) {
        one.clear();
        for (Particle other : particles) {
            if (other != one) one.attract(other);
        }
    }

    private static final class Particle {
        private double x, y, z;
        private double vx, vy, vz;
        private double fx, fy, fz;

        Particle(double x, double y, double z, double speed) {
            this.x = x;
            this.y = y;
            this.z = z;
            vx = speed;
            vy = -speed;
            vz = speed / 2;
        }

        void clear() {
            fx = 0;
            fy = 0;
            fz = 0;
        }

        void attract(Particle other) {
            double dx = x - other.x;
            double dy = y - other.y;
            double dz = z - other.z;
            double square = dx * dx + dy * dy + dz * dz;
            if (square > CUTOFF) return;
            double inverse = 1 / (square + 0.01);
            double sixth = inverse * inverse * inverse;
            double force = 48 * inverse * sixth * (sixth - 0.5);
            fx += dx * force;
            fy += dy * force;
            fz += dz * force;
        }

        void move(double step) {
            vx += fx * step;
            vy += fy * step;
            vz += fz * step;
            x += vx * step;
            y += vy * step;
            z += vz * step;
        }

        double kinetic() {
            return (vx * vx + vy * vy + vz * vz) / 2;
        }
    }
}
