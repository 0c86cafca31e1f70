/** For the time that it takes to start. */
final class Hello {
    public static void main(String[] args) {
        System.out.println("checksum 0");
    }
}
