//! Parts, the engine in memory, and the suites that all engines have to pass.

mod bytes;
mod conformance;
mod corpus;
mod exact;
mod int8;
mod part;
mod reference;
