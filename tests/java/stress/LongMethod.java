/**
 * A parser written by a machine: one long method. As it is, the JVM compiles it; woven, it is longer than what the JVM
 * compiles without being told to.
 */
public class LongMethod {
    private int left, right, depth, count, total, last;

    private int step(int state) {
        switch (state) {
            case 0:
                left = right + depth + 0;
                depth ^= left >>> 0;
                break;
            case 1:
                right = left ^ last + 1;
                last ^= right >>> 1;
                break;
            case 2:
                depth = last - depth + 2;
                depth ^= depth >>> 2;
                break;
            case 3:
                count = total | last + 3;
                last ^= count >>> 3;
                break;
            case 4:
                total = count + depth + 4;
                depth ^= total >>> 4;
                break;
            case 5:
                last = depth ^ last + 5;
                last ^= last >>> 5;
                break;
            case 6:
                left = right - depth + 6;
                depth ^= left >>> 6;
                break;
            case 7:
                right = left | last + 7;
                last ^= right >>> 0;
                break;
            case 8:
                depth = last + depth + 8;
                depth ^= depth >>> 1;
                break;
            case 9:
                count = total ^ last + 9;
                last ^= count >>> 2;
                break;
            case 10:
                total = count - depth + 10;
                depth ^= total >>> 3;
                break;
            case 11:
                last = depth | last + 11;
                last ^= last >>> 4;
                break;
            case 12:
                left = right + depth + 12;
                depth ^= left >>> 5;
                break;
            case 13:
                right = left ^ last + 13;
                last ^= right >>> 6;
                break;
            case 14:
                depth = last - depth + 14;
                depth ^= depth >>> 0;
                break;
            case 15:
                count = total | last + 15;
                last ^= count >>> 1;
                break;
            case 16:
                total = count + depth + 16;
                depth ^= total >>> 2;
                break;
            case 17:
                last = depth ^ last + 17;
                last ^= last >>> 3;
                break;
            case 18:
                left = right - depth + 18;
                depth ^= left >>> 4;
                break;
            case 19:
                right = left | last + 19;
                last ^= right >>> 5;
                break;
            case 20:
                depth = last + depth + 20;
                depth ^= depth >>> 6;
                break;
            case 21:
                count = total ^ last + 21;
                last ^= count >>> 0;
                break;
            case 22:
                total = count - depth + 22;
                depth ^= total >>> 1;
                break;
            case 23:
                last = depth | last + 23;
                last ^= last >>> 2;
                break;
            case 24:
                left = right + depth + 24;
                depth ^= left >>> 3;
                break;
            case 25:
                right = left ^ last + 25;
                last ^= right >>> 4;
                break;
            case 26:
                depth = last - depth + 26;
                depth ^= depth >>> 5;
                break;
            case 27:
                count = total | last + 27;
                last ^= count >>> 6;
                break;
            case 28:
                total = count + depth + 28;
                depth ^= total >>> 0;
                break;
            case 29:
                last = depth ^ last + 29;
                last ^= last >>> 1;
                break;
            case 30:
                left = right - depth + 30;
                depth ^= left >>> 2;
                break;
            case 31:
                right = left | last + 31;
                last ^= right >>> 3;
                break;
            case 32:
                depth = last + depth + 32;
                depth ^= depth >>> 4;
                break;
            case 33:
                count = total ^ last + 33;
                last ^= count >>> 5;
                break;
            case 34:
                total = count - depth + 34;
                depth ^= total >>> 6;
                break;
            case 35:
                last = depth | last + 35;
                last ^= last >>> 0;
                break;
            case 36:
                left = right + depth + 36;
                depth ^= left >>> 1;
                break;
            case 37:
                right = left ^ last + 37;
                last ^= right >>> 2;
                break;
            case 38:
                depth = last - depth + 38;
                depth ^= depth >>> 3;
                break;
            case 39:
                count = total | last + 39;
                last ^= count >>> 4;
                break;
            case 40:
                total = count + depth + 40;
                depth ^= total >>> 5;
                break;
            case 41:
                last = depth ^ last + 41;
                last ^= last >>> 6;
                break;
            case 42:
                left = right - depth + 42;
                depth ^= left >>> 0;
                break;
            case 43:
                right = left | last + 43;
                last ^= right >>> 1;
                break;
            case 44:
                depth = last + depth + 44;
                depth ^= depth >>> 2;
                break;
            case 45:
                count = total ^ last + 45;
                last ^= count >>> 3;
                break;
            case 46:
                total = count - depth + 46;
                depth ^= total >>> 4;
                break;
            case 47:
                last = depth | last + 47;
                last ^= last >>> 5;
                break;
            case 48:
                left = right + depth + 48;
                depth ^= left >>> 6;
                break;
            case 49:
                right = left ^ last + 49;
                last ^= right >>> 0;
                break;
            case 50:
                depth = last - depth + 50;
                depth ^= depth >>> 1;
                break;
            case 51:
                count = total | last + 51;
                last ^= count >>> 2;
                break;
            case 52:
                total = count + depth + 52;
                depth ^= total >>> 3;
                break;
            case 53:
                last = depth ^ last + 53;
                last ^= last >>> 4;
                break;
            case 54:
                left = right - depth + 54;
                depth ^= left >>> 5;
                break;
            case 55:
                right = left | last + 55;
                last ^= right >>> 6;
                break;
            case 56:
                depth = last + depth + 56;
                depth ^= depth >>> 0;
                break;
            case 57:
                count = total ^ last + 57;
                last ^= count >>> 1;
                break;
            case 58:
                total = count - depth + 58;
                depth ^= total >>> 2;
                break;
            case 59:
                last = depth | last + 59;
                last ^= last >>> 3;
                break;
            case 60:
                left = right + depth + 60;
                depth ^= left >>> 4;
                break;
            case 61:
                right = left ^ last + 61;
                last ^= right >>> 5;
                break;
            case 62:
                depth = last - depth + 62;
                depth ^= depth >>> 6;
                break;
            case 63:
                count = total | last + 63;
                last ^= count >>> 0;
                break;
            case 64:
                total = count + depth + 64;
                depth ^= total >>> 1;
                break;
            case 65:
                last = depth ^ last + 65;
                last ^= last >>> 2;
                break;
            case 66:
                left = right - depth + 66;
                depth ^= left >>> 3;
                break;
            case 67:
                right = left | last + 67;
                last ^= right >>> 4;
                break;
            case 68:
                depth = last + depth + 68;
                depth ^= depth >>> 5;
                break;
            case 69:
                count = total ^ last + 69;
                last ^= count >>> 6;
                break;
            case 70:
                total = count - depth + 70;
                depth ^= total >>> 0;
                break;
            case 71:
                last = depth | last + 71;
                last ^= last >>> 1;
                break;
            case 72:
                left = right + depth + 72;
                depth ^= left >>> 2;
                break;
            case 73:
                right = left ^ last + 73;
                last ^= right >>> 3;
                break;
            case 74:
                depth = last - depth + 74;
                depth ^= depth >>> 4;
                break;
            case 75:
                count = total | last + 75;
                last ^= count >>> 5;
                break;
            case 76:
                total = count + depth + 76;
                depth ^= total >>> 6;
                break;
            case 77:
                last = depth ^ last + 77;
                last ^= last >>> 0;
                break;
            case 78:
                left = right - depth + 78;
                depth ^= left >>> 1;
                break;
            case 79:
                right = left | last + 79;
                last ^= right >>> 2;
                break;
            case 80:
                depth = last + depth + 80;
                depth ^= depth >>> 3;
                break;
            case 81:
                count = total ^ last + 81;
                last ^= count >>> 4;
                break;
            case 82:
                total = count - depth + 82;
                depth ^= total >>> 5;
                break;
            case 83:
                last = depth | last + 83;
                last ^= last >>> 6;
                break;
            case 84:
                left = right + depth + 84;
                depth ^= left >>> 0;
                break;
            case 85:
                right = left ^ last + 85;
                last ^= right >>> 1;
                break;
            case 86:
                depth = last - depth + 86;
                depth ^= depth >>> 2;
                break;
            case 87:
                count = total | last + 87;
                last ^= count >>> 3;
                break;
            case 88:
                total = count + depth + 88;
                depth ^= total >>> 4;
                break;
            case 89:
                last = depth ^ last + 89;
                last ^= last >>> 5;
                break;
            case 90:
                left = right - depth + 90;
                depth ^= left >>> 6;
                break;
            case 91:
                right = left | last + 91;
                last ^= right >>> 0;
                break;
            case 92:
                depth = last + depth + 92;
                depth ^= depth >>> 1;
                break;
            case 93:
                count = total ^ last + 93;
                last ^= count >>> 2;
                break;
            case 94:
                total = count - depth + 94;
                depth ^= total >>> 3;
                break;
            case 95:
                last = depth | last + 95;
                last ^= last >>> 4;
                break;
            case 96:
                left = right + depth + 96;
                depth ^= left >>> 5;
                break;
            case 97:
                right = left ^ last + 97;
                last ^= right >>> 6;
                break;
            case 98:
                depth = last - depth + 98;
                depth ^= depth >>> 0;
                break;
            case 99:
                count = total | last + 99;
                last ^= count >>> 1;
                break;
            case 100:
                total = count + depth + 100;
                depth ^= total >>> 2;
                break;
            case 101:
                last = depth ^ last + 101;
                last ^= last >>> 3;
                break;
            case 102:
                left = right - depth + 102;
                depth ^= left >>> 4;
                break;
            case 103:
                right = left | last + 103;
                last ^= right >>> 5;
                break;
            case 104:
                depth = last + depth + 104;
                depth ^= depth >>> 6;
                break;
            case 105:
                count = total ^ last + 105;
                last ^= count >>> 0;
                break;
            case 106:
                total = count - depth + 106;
                depth ^= total >>> 1;
                break;
            case 107:
                last = depth | last + 107;
                last ^= last >>> 2;
                break;
            case 108:
                left = right + depth + 108;
                depth ^= left >>> 3;
                break;
            case 109:
                right = left ^ last + 109;
                last ^= right >>> 4;
                break;
            case 110:
                depth = last - depth + 110;
                depth ^= depth >>> 5;
                break;
            case 111:
                count = total | last + 111;
                last ^= count >>> 6;
                break;
            default:
                total++;
        }
        return left ^ right ^ depth ^ count ^ total ^ last;
    }

    private int steps(int many) {
        int sum = 0;
        for (int i = 0; i < many; i++) sum += step(i % 120);
        return sum;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int[] sums = new int[2];
        Thread[] threads = new Thread[sums.length];
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> sums[number] = new LongMethod().steps(200_000));
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println(sums[0] == sums[1] ? "the same" : "not the same");
    }
}
