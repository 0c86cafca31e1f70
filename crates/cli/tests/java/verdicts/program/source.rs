//! A program as Java source.

use super::access::Names;
use super::items::{Guard, Item, Walk, rows};
use super::{CELLS, COUNT, ELEMENTS, Launch, PERMITS, Program};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Methods that meet others are not atomic, so what does it has methods of its own.
const HELPERS: &str = "
  static void countDown() { latch.countDown(); }
  static void getNow() { future.getNow(1); }
  static void await() {
    try { latch.await(0, java.util.concurrent.TimeUnit.SECONDS); } catch (InterruptedException x) { throw new AssertionError(x); }
  }
  static void pause(Object monitor, int me) {
    order.leave(me, monitor);
    try { monitor.wait(); } catch (InterruptedException x) { throw new AssertionError(x); }
    order.turn(me);
  }
  static void ring(Object monitor) { if (!order.isWaitedFor(monitor)) monitor.notifyAll(); }
";

impl Program {
    /// A class of this name with a method `go` that does everything in the given order.
    pub fn source(&self, name: &str, order: &[usize]) -> String {
        let order: Vec<String> = order.iter().map(usize::to_string).collect();
        let cell = if self.is_cell { name } else { "Cell" };
        let mut out = format!(
            "class {name} {{
{}  static final int[] e = new int[{ELEMENTS}];
  static int s;
  static final AtomicInteger n = new AtomicInteger();
  static final ReentrantLock lock = new ReentrantLock();
  static final ReentrantReadWriteLock both = new ReentrantReadWriteLock();
  static final Semaphore permits = new Semaphore({PERMITS});
  static final CountDownLatch latch = new CountDownLatch({COUNT});
  static final CompletableFuture<Integer> future = new CompletableFuture<>();
  static final ExecutorService pool = Executors.newSingleThreadExecutor();
  static final schedule.Order order = new schedule.Order({});{HELPERS}",
            self.cells(cell),
            order.join(",")
        );
        for (number, method) in self.methods.iter().enumerate() {
            writeln!(out, "  static void m{number}(int me) {{ int r = 0;").unwrap();
            Writer { names: Names { me: None, cell }, out: &mut out }.items(method, 2, None);
            out += "    schedule.Order.use(r); }\n";
        }
        for (number, thread) in self.threads.iter().enumerate() {
            let names = Names { me: Some(number), cell };
            Writer { names, out: &mut out }.thread(number, thread);
        }
        let launch = (self.first..self.threads.len()).map(|number| self.launch(number));
        out += &launch.collect::<String>();
        out + &self.go() + "}\n"
    }

    /// The class of cells, which may be the program's own, and some of them.
    fn cells(&self, class: &str) -> String {
        let fields = format!("int a, b, d; volatile int v; {class} next; int[] array;");
        let mut all = vec![];
        self.methods.iter().chain(&self.threads).for_each(|items| rows(items, &mut all));
        let methods: BTreeMap<_, _> =
            all.iter().map(|row| (row.name(), row.method(class))).collect();
        let methods: Vec<String> = methods.into_values().collect();
        let methods = methods.join(" ");
        let members = format!("{fields} {class}(int a) {{ this.a = a; }} {methods}");
        let mut out = match self.is_cell {
            true => format!("  {members}\n"),
            false => format!("  static final class {class} {{ {members} }}\n"),
        };
        for cell in 0..CELLS {
            let array = format!("c{cell}.array = new int[{ELEMENTS}];");
            let make = format!("static {{ c{cell}.next = new {class}(0); {array} }}");
            writeln!(out, "  static final {class} c{cell} = new {class}(0); {make}").unwrap();
        }
        out
    }

    /// How the thread of this number is started by another one, and awaited.
    fn launch(&self, number: usize) -> String {
        let (start, join) = match self.launch {
            Launch::Start => (format!("t{number}.start()"), format!("t{number}.join()")),
            Launch::Submit => (
                format!("order.keep({number}, pool.submit(t{number}))"),
                format!("if (order.kept({number}) instanceof Future<?> it) it.get()"),
            ),
            Launch::Async => (
                format!("order.keep({number}, CompletableFuture.runAsync(t{number}, pool))"),
                format!("if (order.kept({number}) instanceof CompletableFuture<?> it) it.join()"),
            ),
        };
        let caught = "catch (Exception x) { throw new AssertionError(x); }";
        format!(
            "  static void start{number}() {{ if (order.isFirst({number})) {start}; }}
  static void join{number}() {{ try {{ {join}; }} {caught} }}
"
        )
    }

    fn go(&self) -> String {
        let (first, rest) = (0..self.first, self.first..self.threads.len());
        let start: String = first.clone().map(|it| format!(" t{it}.start();")).collect();
        let join: String = first.map(|it| format!(" t{it}.join();")).collect();
        let others: String = rest.map(|it| format!(" join{it}();")).collect();
        format!("  static void go() throws Exception {{{start}{join}{others} pool.shutdown(); }}\n")
    }
}

struct Writer<'a> {
    names: Names<'a>,
    out: &'a mut String,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        writeln!(self.out, "{}{line}", "  ".repeat(depth)).unwrap();
    }

    fn thread(&mut self, number: usize, thread: &[Item]) {
        self.line(1, &format!("static final T{number} t{number} = new T{number}();"));
        self.line(
            1,
            &format!(
                "static final class T{number} extends Thread {{ int a, b, d; public void run() {{"
            ),
        );
        self.line(2, &format!("int me = {number}, r = 0; order.turn(me);"));
        self.line(2, "try {");
        self.items(thread, 3, None);
        self.line(3, "schedule.Order.use(r);");
        self.line(2, "} catch (IllegalStateException thrown) { }");
        self.line(2, "order.pass(me); } }");
    }

    /// Local variables are numbered by depth; `monitor` is the innermost one's.
    fn items(&mut self, items: &[Item], depth: usize, monitor: Option<usize>) {
        for item in items {
            self.item(item, depth, monitor);
        }
    }

    fn item(&mut self, item: &Item, depth: usize, monitor: Option<usize>) {
        let (begin, within, end) = match item {
            Item::Loop(times, within) => {
                let begin = format!("for (int i{depth} = 0; i{depth} < {times}; i{depth}++) {{");
                (begin, within, "}")
            }
            Item::Guarded(Guard::Monitor(object), within) => {
                let object = object.source(&self.names);
                self.line(
                    depth,
                    &format!("{{ var k{depth} = {object}; synchronized (k{depth}) {{"),
                );
                self.items(within, depth + 1, Some(depth));
                return self.line(depth, "} }");
            }
            Item::Guarded(guard, within) => {
                let (begin, end) = guarding(*guard);
                (format!("{begin} try {{"), within, end)
            }
            Item::Try(within) => {
                ("try {".to_string(), within, "} catch (IllegalStateException thrown) { }")
            }
            Item::With(object, array, within) => {
                let (object, array) = (object.source(&self.names), array.source());
                (format!("{{ var c = {object}; int[] x = {array};"), within, "}")
            }
            _ => return self.simple(item, depth, monitor),
        };
        self.line(depth, &begin);
        self.items(within, depth + 1, monitor);
        self.line(depth, end);
    }

    fn simple(&mut self, item: &Item, depth: usize, monitor: Option<usize>) {
        let line = match item {
            Item::Access(access) => access.source(&self.names),
            Item::Turn => "order.turn(me);".to_string(),
            Item::Call(method) => format!("m{method}(me);"),
            // The compiler must not know that nothing follows.
            Item::Throw => "if (me >= 0) throw new IllegalStateException();".to_string(),
            Item::Wait => format!("pause(k{}, me);", monitor.unwrap()),
            Item::Notify => format!("ring(k{});", monitor.unwrap()),
            Item::Walk(walk) => self.walk(walk),
            Item::Row(row) => row.call(),
            _ => unreachable!(),
        };
        self.line(depth, &line);
    }

    fn walk(&self, walk: &Walk) -> String {
        let step = walk.step;
        let head = match walk.backwards {
            true => {
                let last = walk.indices()[0];
                format!("for (int i = {last}; i >= 0; i -= {step})")
            }
            false => format!("for (int i = 0; i < {ELEMENTS}; i += {step})"),
        };
        let mut within = walk.touch.source(&format!("{}[i]", walk.array.source()));
        for access in &walk.also {
            within = within + " " + &access.source(&self.names);
        }
        let turn = if walk.turns { " order.turn(me);" } else { "" };
        format!("{head} {{ {within}{turn} }}")
    }
}

fn guarding(guard: Guard) -> (&'static str, &'static str) {
    match guard {
        Guard::Read => ("both.readLock().lock();", "} finally { both.readLock().unlock(); }"),
        Guard::Write => ("both.writeLock().lock();", "} finally { both.writeLock().unlock(); }"),
        Guard::Permit => ("permits.acquireUninterruptibly();", "} finally { permits.release(); }"),
        _ => ("lock.lock();", "} finally { lock.unlock(); }"),
    }
}
