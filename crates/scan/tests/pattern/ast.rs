//! A small language for the tests: structured programs with synchronized blocks, and how they become what the analysis reads.

use interloper_scan::ir::{
    BlockId, CallKind, Callees, ExprId, Local, LocalId, LockExpr, MethodBuilder, MethodFlags,
    MethodId, MethodRef, Program, RegionId, RegionKind,
};

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum E {
    Unknown,
    This,
    Var(String),
    /// `A::f`, or `A::class` for a class literal.
    Static(String, String),
    Const(i32),
    Field(Box<E>, String),
    Index(Box<E>, Box<E>),
}

impl std::fmt::Display for E {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            E::Unknown => write!(f, "*"),
            E::This => write!(f, "this"),
            E::Var(name) => write!(f, "{name}"),
            E::Static(class, name) => write!(f, "{class}.{name}"),
            E::Const(value) => write!(f, "{value}"),
            E::Field(base, name) => write!(f, "{base}.{name}"),
            E::Index(base, index) => write!(f, "{base}[{index}]"),
        }
    }
}

/// A statement on a line.
#[derive(Clone, Debug)]
pub struct St {
    pub line: u32,
    pub kind: K,
}

/// What statements there are.
#[derive(Clone, Debug)]
pub enum K {
    Sync(E, Vec<St>),
    If(Vec<St>, Vec<St>),
    /// Any number of times.
    Loop(Vec<St>),
    /// Until `break`.
    Forever(Vec<St>),
    /// Anything in the first part may raise an exception, which the second catches.
    Try(Vec<St>, Vec<St>),
    Assign(E),
    Call {
        receiver: E,
        name: String,
        args: Vec<E>,
    },
    Return,
    Break,
    Continue,
}

/// A method. A call reaches all methods of its name.
#[derive(Clone, Debug)]
pub struct M {
    pub class: String,
    pub name: String,
    pub params: Vec<String>,
    pub body: Vec<St>,
}

/// Lowers all methods.
pub fn lower(methods: &[M], bound: u8) -> (Program, Callees) {
    let mut program = Program::default();
    for method in methods {
        let name = method_ref(&mut program, &method.class, &method.name);
        let file = program.names.symbol("Test.java");
        let builder = MethodBuilder::new(name, MethodFlags::default(), Some(file), bound);
        let lowering = Lowering {
            program: &mut program,
            builder,
            vars: Vec::new(),
            here: BlockId::ENTRY,
            region: RegionId::ROOT,
            loops: Vec::new(),
            handlers: Vec::new(),
        };
        let lowered = lowering.method(method);
        program.methods.push(lowered);
    }
    let callees = Callees::from_fn(program.names.dispatch_count(), |dispatch| {
        let (_, called) = program.names.dispatch(dispatch);
        let called = program.names.text(program.names.method(called).name).to_owned();
        let named = move |(_, m): &(usize, &M)| m.name == called;
        let found: Vec<_> = methods.iter().enumerate().filter(named).map(|(i, _)| i).collect();
        found.into_iter().map(MethodId::from_index)
    });
    (program, callees)
}

fn method_ref(program: &mut Program, class: &str, name: &str) -> interloper_scan::ir::MethodRefId {
    let class = program.names.class(class);
    let name = program.names.symbol(name);
    let descriptor = program.names.symbol("()V");
    program.names.method_id(MethodRef { class, name, descriptor })
}

struct Lowering<'a> {
    program: &'a mut Program,
    builder: MethodBuilder,
    vars: Vec<String>,
    here: BlockId,
    region: RegionId,
    /// Where `continue` and `break` lead.
    loops: Vec<(BlockId, BlockId)>,
    handlers: Vec<BlockId>,
}

impl Lowering<'_> {
    fn method(mut self, method: &M) -> interloper_scan::ir::Method {
        for (slot, param) in method.params.iter().enumerate() {
            let name = Some(self.program.names.symbol(param));
            self.builder.formal(Local { name, slot: slot as u16 });
            self.vars.push(param.clone());
        }
        self.all(&method.body);
        self.builder.edge(self.here, BlockId::EXIT);
        self.builder.finish()
    }

    fn block(&mut self) -> BlockId {
        let block = self.builder.block(self.region);
        if let Some(&handler) = self.handlers.last() {
            self.builder.handler(block, handler);
        }
        block
    }

    fn expr(&mut self, e: &E) -> ExprId {
        let node = match e {
            E::Unknown => return ExprId::UNKNOWN,
            E::This => LockExpr::This,
            E::Const(value) => LockExpr::Const(*value),
            E::Var(name) => LockExpr::Local(self.var(name)),
            E::Static(class, name) => {
                let class = self.program.names.class(class);
                if name == "class" {
                    LockExpr::Class(class)
                } else {
                    let name = self.program.names.symbol(name);
                    LockExpr::Static(self.program.names.static_id(class, name))
                }
            }
            E::Field(base, name) => {
                LockExpr::Field(self.expr(base), self.program.names.symbol(name))
            }
            E::Index(base, index) => LockExpr::Index(self.expr(base), self.expr(index)),
        };
        self.builder.expr(node)
    }

    fn var(&mut self, name: &str) -> LocalId {
        if let Some(at) = self.vars.iter().position(|v| v == name) {
            return LocalId::from_index(at);
        }
        self.vars.push(name.to_owned());
        let slot = self.vars.len() as u16;
        let name = Some(self.program.names.symbol(name));
        self.builder.local(Local { name, slot })
    }

    fn all(&mut self, stmts: &[St]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, st: &St) {
        match &st.kind {
            K::Assign(target) => {
                let target = self.expr(target);
                self.builder.assign(self.here, target, st.line);
            }
            K::Call { receiver, name, args } => {
                let receiver = self.expr(receiver);
                let args: Vec<_> = args.iter().map(|a| self.expr(a)).collect();
                let callee = method_ref(self.program, "Any", name);
                let dispatch = self.program.names.dispatch_id(CallKind::Virtual, callee);
                self.builder.call(self.here, dispatch, receiver, &args, st.line);
            }
            K::Sync(lock, body) => {
                let lock = self.expr(lock);
                let outer = self.region;
                let after = self.block();
                self.region = self.builder.region(outer, lock, st.line, RegionKind::Monitor);
                self.branch(body, after);
                (self.region, self.here) = (outer, after);
            }
            K::If(yes, no) => {
                let (from, after) = (self.here, self.block());
                for branch in [yes, no] {
                    self.here = from;
                    self.branch(branch, after);
                }
                self.here = after;
            }
            K::Loop(body) => self.repeat(body, true),
            K::Forever(body) => self.repeat(body, false),
            K::Try(body, catch) => {
                let (after, handler) = (self.block(), self.block());
                self.handlers.push(handler);
                self.branch(body, after);
                self.handlers.pop();
                self.here = handler;
                self.all(catch);
                self.builder.edge(self.here, after);
                self.here = after;
            }
            K::Return => self.jump(Some(BlockId::EXIT)),
            K::Break => self.jump(self.loops.last().map(|l| l.1)),
            K::Continue => self.jump(self.loops.last().map(|l| l.0)),
        }
    }

    /// From here through a new block and some statements to a block.
    fn branch(&mut self, stmts: &[St], after: BlockId) {
        let block = self.block();
        self.builder.edge(self.here, block);
        self.here = block;
        self.all(stmts);
        self.builder.edge(self.here, after);
    }

    fn repeat(&mut self, body: &[St], may_end: bool) {
        let (head, after) = (self.block(), self.block());
        self.builder.edge(self.here, head);
        if may_end {
            self.builder.edge(head, after);
        }
        self.loops.push((head, after));
        self.here = head;
        self.branch(body, head);
        self.loops.pop();
        self.here = after;
    }

    /// To a block; what follows is never reached. A `break` outside of loops does nothing.
    fn jump(&mut self, to: Option<BlockId>) {
        if let Some(to) = to {
            self.builder.edge(self.here, to);
            self.here = self.block();
        }
    }
}
