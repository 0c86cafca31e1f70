//! Reads the test language. Lines of the text are the lines of the program.

use super::ast::{E, K, M, St};

/// Reads methods: `[synchronized] Class.name(params) { … }`.
pub fn parse(text: &str) -> Vec<M> {
    let mut parser = Parser { tokens: tokens(text), at: 0 };
    let mut methods = Vec::new();
    while parser.at < parser.tokens.len() {
        methods.push(parser.method());
    }
    methods
}

fn tokens(text: &str) -> Vec<(String, u32)> {
    let mut tokens = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split("//").next().unwrap();
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = if first.is_alphanumeric() {
                rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            tokens.push((rest[..length].to_owned(), number as u32 + 1));
            rest = rest[length..].trim_start();
        }
    }
    tokens
}

struct Parser {
    tokens: Vec<(String, u32)>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", |t| &t.0)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].0.clone()
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.eat(token), "expected {token} at {:?}", self.tokens.get(self.at));
    }

    fn method(&mut self) -> M {
        let line = self.tokens[self.at].1;
        let synchronized = self.eat("synchronized");
        let class = self.next();
        self.expect(".");
        let name = self.next();
        let mut params = Vec::new();
        self.expect("(");
        while !self.eat(")") {
            params.push(self.next());
            self.eat(",");
        }
        let mut body = self.block();
        if synchronized {
            body = vec![St { line, kind: K::Sync(E::This, body) }];
        }
        M { class, name, params, body }
    }

    fn block(&mut self) -> Vec<St> {
        let mut stmts = Vec::new();
        self.expect("{");
        while !self.eat("}") {
            stmts.push(self.stmt());
        }
        stmts
    }

    fn stmt(&mut self) -> St {
        let line = self.tokens[self.at].1;
        let kind = match self.peek() {
            "sync" => {
                self.next();
                self.expect("(");
                let lock = self.expr();
                self.expect(")");
                K::Sync(lock, self.block())
            }
            "if" => {
                self.next();
                let yes = self.block();
                K::If(yes, if self.eat("else") { self.block() } else { Vec::new() })
            }
            "loop" => {
                self.next();
                K::Loop(self.block())
            }
            "forever" => {
                self.next();
                K::Forever(self.block())
            }
            "try" => {
                self.next();
                let body = self.block();
                self.expect("catch");
                K::Try(body, self.block())
            }
            "return" | "break" | "continue" => {
                let kind = match self.next().as_str() {
                    "return" => K::Return,
                    "break" => K::Break,
                    _ => K::Continue,
                };
                self.expect(";");
                kind
            }
            _ => self.simple(),
        };
        St { line, kind }
    }

    /// An assignment `e = ?;` or a call `e.m(args);`.
    fn simple(&mut self) -> K {
        let e = self.expr();
        let kind = if self.eat("=") {
            self.expect("?");
            K::Assign(e)
        } else {
            let E::Field(receiver, name) = e else { panic!("not a call: {e}") };
            let mut args = Vec::new();
            self.expect("(");
            while !self.eat(")") {
                args.push(self.expr());
                self.eat(",");
            }
            K::Call { receiver: *receiver, name, args }
        };
        self.expect(";");
        kind
    }

    fn expr(&mut self) -> E {
        let first = self.next();
        let mut e = match first.as_str() {
            "this" => E::This,
            "?" => E::Unknown,
            number if number.parse::<i32>().is_ok() => E::Const(number.parse().unwrap()),
            _ if self.eat("::") => E::Static(first, self.next()),
            _ => E::Var(first),
        };
        loop {
            if self.eat(".") {
                e = E::Field(Box::new(e), self.next());
            } else if self.eat("[") {
                e = E::Index(Box::new(e), Box::new(self.expr()));
                self.expect("]");
            } else {
                return e;
            }
        }
    }
}
