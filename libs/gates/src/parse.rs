//! A gate's text: syntax by the crate `cel`, kinds checked here.

use cel::common::ast::operators as cel_name;
use cel::common::ast::{CallExpr, Expr as Cel, IdedExpr, LiteralValue, SourceInfo};
use cel::parser::{ParseErrors, Parser};

use crate::expr::{Comparison, Expr, Operation};
use crate::vars::{Kind, Var};

/// The most bytes of a gate.
pub const MAX_BYTES: usize = 1_000;

/// The deepest nesting of parentheses.
const MAX_DEPTH: u16 = 32;

/// The parser takes up to 200 KiB of stack for each of them, more than the stack of a common thread has for all.
const STACK_BYTES: usize = 16 << 20;

/// Why a text is no gate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct GateError {
    /// The line of the text, counted from 1.
    pub line: usize,
    /// The column, in characters, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

/// Reads a condition over these variables; gives it with those that it uses, which it numbers.
pub(crate) fn parse(text: &str, declared: &[Var]) -> Result<(Expr, Vec<Var>), GateError> {
    if text.len() > MAX_BYTES {
        return Err(GateError {
            line: 1,
            column: 1,
            message: format!(
                "a gate of {} bytes; at most {MAX_BYTES} are allowed",
                text.len()
            ),
        });
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || read(text, declared))
            .map_or(None, |reading| reading.join().ok())
    })
    .unwrap_or_else(|| {
        Err(GateError {
            line: 1,
            column: 1,
            message: "there was no thread to read it".to_owned(),
        })
    })
}

fn read(text: &str, declared: &[Var]) -> Result<(Expr, Vec<Var>), GateError> {
    let (tree, places) = Parser::new()
        .max_recursion_depth(MAX_DEPTH)
        .parse_with_source_info(text)
        .map_err(|errors| syntax_error(&errors))?;
    let mut reader = Reader {
        text,
        places,
        declared,
        used: Vec::new(),
    };
    let (expr, kind) = reader.read(&tree)?;
    if kind != Type::Bool {
        let problem = format!("this is {}, but a gate is true or false", kind.name());
        return Err(reader.error(&tree, problem));
    }
    Ok((expr, reader.used))
}

/// The first error, without the parser's list of what it would rather have read.
fn syntax_error(errors: &ParseErrors) -> GateError {
    let first = errors.errors.first();
    let (line, column) = first.map_or((1, 1), |error| error.pos);
    let message = first.map_or("", |error| error.msg.as_str());
    let message = if message.contains("Recursion limit") {
        format!("it nests more than {MAX_DEPTH} levels deep")
    } else {
        let message = message.split(" expecting {").next().unwrap_or_default();
        let message = message.strip_prefix("Syntax error: ").unwrap_or(message);
        message.replace("<EOF>", "the end")
    };
    GateError {
        line: usize::try_from(line).unwrap_or(1).max(1),
        column: usize::try_from(column).unwrap_or(1).max(1),
        message: format!("this is no CEL expression: {message}"),
    }
}

/// The kind of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Bool,
    Int,
    Double,
    Text,
}

impl Type {
    fn name(self) -> &'static str {
        match self {
            Self::Bool => "true or false",
            Self::Int => "a whole number (int)",
            Self::Double => "a number (double)",
            Self::Text => "a word (enum)",
        }
    }

    fn is_number(self) -> bool {
        matches!(self, Self::Int | Self::Double)
    }
}

struct Reader<'t> {
    text: &'t str,
    places: SourceInfo,
    declared: &'t [Var],
    used: Vec<Var>,
}

impl Reader<'_> {
    /// The expression and its kind.
    fn read(&mut self, node: &IdedExpr) -> Result<(Expr, Type), GateError> {
        match &node.expr {
            Cel::Literal(literal) => self.literal(node, literal),
            Cel::Select(select) if !select.test => match &select.operand.expr {
                Cel::Ident(root) if root == "vars" => self.var(node, &select.field),
                _ => Err(self.refuse(node)),
            },
            Cel::Ident(name) => {
                let problem = format!("`{name}` is not known; variables are written `vars.NAME`");
                Err(self.error(node, problem))
            }
            Cel::Call(call) => self.call(node, call),
            _ => Err(self.refuse(node)),
        }
    }

    fn refuse(&self, node: &IdedExpr) -> GateError {
        let problem = "gates have `&&`, `||`, `!`, comparisons, arithmetic, parentheses, literals and `vars.NAME`, \
                       and nothing else";
        self.error(node, problem.to_owned())
    }

    fn literal(&self, node: &IdedExpr, literal: &LiteralValue) -> Result<(Expr, Type), GateError> {
        match literal {
            LiteralValue::Boolean(value) => Ok((Expr::Bool(*value.inner()), Type::Bool)),
            LiteralValue::Int(value) => Ok((Expr::Int(*value.inner()), Type::Int)),
            LiteralValue::Double(value) => Ok((Expr::Double(*value.inner()), Type::Double)),
            LiteralValue::String(value) => Ok((Expr::Text(value.inner().to_owned()), Type::Text)),
            _ => Err(self.refuse(node)),
        }
    }

    fn var(&mut self, node: &IdedExpr, name: &str) -> Result<(Expr, Type), GateError> {
        let Some(var) = self.declared.iter().find(|var| var.name == name) else {
            return Err(self.error(node, format!("there is no variable `{name}`")));
        };
        let kind = match var.kind {
            Kind::Bool => Type::Bool,
            Kind::Int { .. } => Type::Int,
            Kind::Double { .. } => Type::Double,
            Kind::Enum(_) => Type::Text,
        };
        let known = self.used.iter().position(|used| used.name == name);
        let number = known.unwrap_or_else(|| {
            self.used.push(var.clone());
            self.used.len() - 1
        });
        Ok((Expr::Var(number), kind))
    }

    fn call(&mut self, node: &IdedExpr, call: &CallExpr) -> Result<(Expr, Type), GateError> {
        let name = call.func_name.as_str();
        match (call.target.is_none(), call.args.as_slice()) {
            (true, [part]) => self.unary(node, name, part),
            (true, [left, right]) => self.binary(node, name, [left, right]),
            _ => Err(self.refuse(node)),
        }
    }

    fn unary(
        &mut self,
        node: &IdedExpr,
        name: &str,
        part: &IdedExpr,
    ) -> Result<(Expr, Type), GateError> {
        match name {
            cel_name::LOGICAL_NOT => {
                let inner = self.truth(part, "!")?;
                Ok((Expr::Not(Box::new(inner)), Type::Bool))
            }
            cel_name::NEGATE => match self.read(part)? {
                (inner, kind) if kind.is_number() => Ok((Expr::Negate(Box::new(inner)), kind)),
                (_, kind) => {
                    let problem = format!("`-` takes a number, but this is {}", kind.name());
                    Err(self.error(part, problem))
                }
            },
            _ => Err(self.refuse(node)),
        }
    }

    fn binary(
        &mut self,
        node: &IdedExpr,
        name: &str,
        parts: [&IdedExpr; 2],
    ) -> Result<(Expr, Type), GateError> {
        let comparison = match name {
            cel_name::LOGICAL_AND => {
                let [left, right] = parts;
                let both = [self.truth(left, "&&")?, self.truth(right, "&&")?];
                return Ok((Expr::And(Box::new(both)), Type::Bool));
            }
            cel_name::LOGICAL_OR => {
                let [left, right] = parts;
                let both = [self.truth(left, "||")?, self.truth(right, "||")?];
                return Ok((Expr::Or(Box::new(both)), Type::Bool));
            }
            cel_name::ADD => return self.compute(node, Operation::Add, parts),
            cel_name::SUBSTRACT => return self.compute(node, Operation::Subtract, parts),
            cel_name::MULTIPLY => return self.compute(node, Operation::Multiply, parts),
            cel_name::DIVIDE => return self.compute(node, Operation::Divide, parts),
            cel_name::MODULO => return self.compute(node, Operation::Remainder, parts),
            cel_name::EQUALS => Comparison::Equal,
            cel_name::NOT_EQUALS => Comparison::Unequal,
            cel_name::LESS => Comparison::Less,
            cel_name::LESS_EQUALS => Comparison::LessOrEqual,
            cel_name::GREATER => Comparison::Greater,
            cel_name::GREATER_EQUALS => Comparison::GreaterOrEqual,
            _ => return Err(self.refuse(node)),
        };
        self.compare(node, comparison, parts)
    }

    fn truth(&mut self, part: &IdedExpr, sign: &str) -> Result<Expr, GateError> {
        match self.read(part)? {
            (expr, Type::Bool) => Ok(expr),
            (_, kind) => {
                let problem = format!("`{sign}` takes conditions, but this is {}", kind.name());
                Err(self.error(part, problem))
            }
        }
    }

    fn compute(
        &mut self,
        node: &IdedExpr,
        operation: Operation,
        parts: [&IdedExpr; 2],
    ) -> Result<(Expr, Type), GateError> {
        let [left, right] = [self.read(parts[0])?, self.read(parts[1])?];
        let problem = match (left.1, right.1) {
            (Type::Double, Type::Double) if operation == Operation::Remainder => {
                "`%` takes whole numbers (int)".to_owned()
            }
            (kind, other) if kind == other && kind.is_number() => {
                return Ok((Expr::Compute(operation, Box::new([left.0, right.0])), kind));
            }
            (Type::Int, Type::Double) | (Type::Double, Type::Int) => format!(
                "`{operation}` joins numbers of one kind, but these are an int and a double; a literal double has a \
                 decimal point, as in `1.0`"
            ),
            (kind, other) => format!(
                "`{operation}` joins numbers, but here are {} and {}",
                kind.name(),
                other.name()
            ),
        };
        Err(self.error(node, problem))
    }

    fn compare(
        &mut self,
        node: &IdedExpr,
        comparison: Comparison,
        parts: [&IdedExpr; 2],
    ) -> Result<(Expr, Type), GateError> {
        let [left, right] = [self.read(parts[0])?, self.read(parts[1])?];
        let order = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
        match (left.1, right.1) {
            (kind, other) if kind.is_number() && other.is_number() => {}
            (Type::Text, Type::Text) if !order => {
                self.word(parts[0], &left.0, &right.0)?;
                self.word(parts[1], &right.0, &left.0)?;
            }
            (Type::Bool, Type::Bool) if !order => {}
            (kind, other) => {
                let problem = format!(
                    "`{comparison}` does not compare {} with {}",
                    kind.name(),
                    other.name()
                );
                return Err(self.error(node, problem));
            }
        }
        Ok((
            Expr::Compare(comparison, Box::new([left.0, right.0])),
            Type::Bool,
        ))
    }

    /// Checks that a word, if it is one, stands among those of the variable that it is compared with.
    fn word(&self, node: &IdedExpr, expr: &Expr, other: &Expr) -> Result<(), GateError> {
        let Expr::Text(word) = expr else {
            return Ok(());
        };
        let var = match other {
            Expr::Var(number) => self.used.get(*number),
            _ => None,
        };
        match var.map(|var| (&var.kind, &var.name)) {
            Some((Kind::Enum(words), _)) if words.contains(word) => Ok(()),
            Some((Kind::Enum(words), name)) => {
                let problem = format!("`{name}` is never this; it is {}", words.join(" or "));
                Err(self.error(node, problem))
            }
            _ => Err(self.error(
                node,
                "a word is compared with a variable of the type enum".to_owned(),
            )),
        }
    }

    /// The error at the first character of what is wrong.
    fn error(&self, node: &IdedExpr, message: String) -> GateError {
        let offset = self.start(node);
        let before = self.text.get(..offset).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        GateError {
            line: 1 + before.matches('\n').count(),
            column: 1 + before[line_start..].chars().count(),
            message,
        }
    }

    /// The byte of the text where the node starts. The parser gives an operator's place, and its parts'.
    fn start(&self, node: &IdedExpr) -> usize {
        let own = self.places.offset_for(node.id);
        let own = own.map_or(usize::MAX, |(start, _)| start as usize);
        let inner = match &node.expr {
            Cel::Select(select) => self.start(&select.operand),
            Cel::Call(call) => {
                let parts = call.target.iter().map(|target| target.as_ref());
                let starts = parts.chain(call.args.first()).map(|part| self.start(part));
                starts.min().unwrap_or(usize::MAX)
            }
            _ => usize::MAX,
        };
        match own.min(inner) {
            usize::MAX => 0,
            start => start,
        }
    }
}
